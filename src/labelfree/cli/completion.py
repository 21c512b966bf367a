"""`labelfree completion`: what a shell needs to complete our commands and options."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

_HOW = {
    "bash": 'eval "$(labelfree completion bash)"   # in ~/.bashrc',
    "zsh": 'eval "$(labelfree completion zsh)"   # in ~/.zshrc, below compinit',
    "fish": "labelfree completion fish | source   # in ~/.config/fish/config.fish",
}


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print what makes a shell complete commands and options of labelfree with the Tab key.

    Example: labelfree completion bash

    Its first line says where to put it.
    """
    from typer._completion_shared import get_completion_script

    typer.echo(f"# {_HOW[shell]}")
    typer.echo(get_completion_script(prog_name="labelfree", complete_var="_LABELFREE_COMPLETE", shell=shell))

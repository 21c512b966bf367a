"""The paper's tasks, tables and figures made anew."""

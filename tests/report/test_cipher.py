"""The report on a cipher: plaintext with doubtful letters, the key with its homophones, frequencies."""

from dataclasses import replace

from lxml import html

from labelfree.cipher import Deciphered
from labelfree.lm import NGramLM
from labelfree.report.cipher import cipher_report
from labelfree.verdict import KeySearched, judge_key

PLAIN = "the quiet ferry left the old harbour before dawn and no one waved a lantern on the quay "
SIGNS = {letter: [f"{i:02}"] for i, letter in enumerate(sorted(set(PLAIN) - {" "}))}
SIGNS["e"] += ["90", "91"]


def enciphered() -> tuple[str, Deciphered]:
    """A homophonic cipher with word breaks, read rightly; one sign of e is doubtful."""
    words, turn = [], 0
    for word in PLAIN.split():
        signs = []
        for letter in word:
            signs.append(SIGNS[letter][turn % len(SIGNS[letter])])
            turn += letter == "e"
        words.append(" ".join(signs))
    key = {sign: letter for letter, signs in SIGNS.items() for sign in signs} | {"/": " "}
    sure = {sign: 0.4 if sign == "91" else 0.99 for sign in key}
    text = "".join(key[sign] for sign in " / ".join(words).split())
    verdict = judge_key(KeySearched(90.0, 100.0, 0.9, 0.99, 7, 8))
    found = Deciphered(text, key, sure, True, -1.9, "key search", "symbols between white space", verdict)
    return " / ".join(words), found


def lm() -> NGramLM:
    return NGramLM.from_text(PLAIN * 5 + "zap", order=2)


def report(ciphertext, found, title="letter"):
    return html.fromstring(cipher_report(ciphertext, found, lm(), title=title))


def test_the_plaintext_is_there_with_the_letters_of_a_doubtful_sign_marked():
    ciphertext, found = enciphered()
    page = report(ciphertext, found)
    (text,) = page.xpath("//section[@id='plaintext']/p[@class='text']")
    assert text.text_content() == found.text
    marked = text.xpath("./b")
    assert len(marked) == ciphertext.split().count("91") > 1
    assert {(each.text, each.get("title")) for each in marked} == {("e", "91 in the cipher, 40% sure")}
    assert "It is deciphered." in page.text_content()


def test_the_key_gathers_the_signs_of_each_letter_with_their_counts():
    ciphertext, found = enciphered()
    (entry,) = [each for each in report(ciphertext, found).xpath("//dl[@class='key']/div") if each[0].text == "e"]
    counts = {row.xpath("./b")[0].text: int(row.xpath("./small")[0].text) for row in entry.xpath("./dt")}
    assert counts == {sign: ciphertext.split().count(sign) for sign in SIGNS["e"]}


def test_letters_that_no_sign_stands_for_are_named():
    assert [each.text for each in report(*enciphered()).xpath("//section[@id='key']//*[@class='never']")] == ["p", "z"]


def test_places_that_were_mended_are_told():
    ciphertext, found = enciphered()
    mended = replace(found, text=found.text.replace("ferry", "merry"))
    told = [each.get("title") for each in report(ciphertext, mended).xpath("//p[@class='text']/b[text()='m']")]
    assert len(told) == 1
    assert told[0].endswith("copied wrongly, f by the key")


def test_what_is_not_believed_says_so_first():
    ciphertext, found = enciphered()
    page = report(ciphertext, replace(found, converged=False))
    assert page.xpath("//header//*[contains(@class, 'doubted')]")
    assert "do not believe this text" in page.xpath("//p[@class='sentence']")[0].text


def test_markup_in_a_cipher_is_escaped():
    text = "<b>x</b> & <i>y</i>"
    key = dict.fromkeys(sorted(set(text)), "e") | {" ": " "}
    verdict = judge_key(KeySearched(-20.0, 90.0, 0.1, 0.2, 1, 8))
    found = Deciphered("e" * 8 + " e " + "e" * 8, key, dict.fromkeys(key, 0.3), False, -3, "key search", "", verdict)
    layout = "every character a sign"
    page = report(text, replace(found, layout=layout), title="<script>alert(1)</script>")
    assert len(page.xpath("//script")) == 1
    assert "<b>x</b>" in page.xpath("//p[contains(@class, 'cipher')]")[0].text
    assert page.xpath("//h1")[0].text == "<script>alert(1)</script>"

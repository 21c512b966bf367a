"""Images of every depth, size and state of repair."""

import struct
import zlib

import numpy as np
import pytest
from PIL import GifImagePlugin, Image

from labelfree.errors import InputError
from labelfree.ocr.sources import images
from labelfree.ocr.sources.images import PageReader, page_count

GREY = np.tile(np.linspace(0, 255, 40).astype(np.uint8), (20, 1))


def read_pages(path):
    with PageReader() as reader:
        for index in range(reader.count(path)):
            yield reader.read(path, index)


def only_page(path):
    (page,) = read_pages(path)
    return page


def bare_png(path, width, height, depth, colour, rows):
    """A PNG written by hand, so that no picture of its size is ever held."""

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    chunks = [chunk(b"IHDR", header), chunk(b"IDAT", rows), chunk(b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


@pytest.mark.parametrize("suffix", ["png", "tif", "bmp", "pgm"])
def test_lossless_formats_keep_every_grey(tmp_path, suffix):
    path = tmp_path / f"line.{suffix}"
    Image.fromarray(GREY).save(path)
    page = only_page(path)
    np.testing.assert_array_equal(page.grey, GREY)
    assert (page.width, page.height, page.page, page.source) == (40, 20, 0, path)


@pytest.mark.parametrize("suffix", ["jpg", "webp"])
def test_lossy_formats_come_close(tmp_path, suffix):
    path = tmp_path / f"line.{suffix}"
    Image.fromarray(GREY).save(path, quality=95)
    assert np.abs(only_page(path).grey.astype(int) - GREY).mean() < 6


@pytest.mark.parametrize("mode", ["1", "P", "RGB", "RGBA", "LA", "CMYK"])
def test_every_mode_is_dark_on_the_left_and_light_on_the_right(tmp_path, mode):
    path = tmp_path / "line.tif"
    Image.fromarray(GREY).convert(mode).save(path)
    grey = only_page(path).grey
    assert grey.shape == GREY.shape
    assert grey[:, :10].mean() < 80 < 170 < grey[:, -10:].mean()


@pytest.mark.parametrize("white", [4095, 65535])
def test_deep_pictures_are_scaled_by_their_depth(tmp_path, white):
    path = tmp_path / "deep.png"
    Image.fromarray((GREY.astype(np.float64) / 255 * white).astype(np.uint16)).save(path)
    np.testing.assert_allclose(only_page(path).grey, GREY, atol=1)


def test_float_tiff_between_0_and_1(tmp_path):
    path = tmp_path / "deep.tif"
    Image.fromarray((GREY / 255).astype(np.float32)).save(path)
    np.testing.assert_allclose(only_page(path).grey, GREY, atol=1)


@pytest.mark.parametrize(("ink", "paper"), [(0, 255), (255, 0)])
def test_letters_on_nothing_stand_on_paper_of_the_other_colour(tmp_path, ink, paper):
    alpha = np.zeros((20, 40), np.uint8)
    alpha[5:10, 5:10] = 255
    path = tmp_path / "clear.png"
    Image.merge("LA", [Image.new("L", (40, 20), ink), Image.fromarray(alpha)]).save(path)
    grey = only_page(path).grey
    assert (grey[7, 7], grey[0, 0]) == (ink, paper)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_are_turned_as_their_mark_says(tmp_path, orientation):
    picture = Image.fromarray(GREY)
    undo = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = picture.transpose(undo[orientation]) if orientation in undo else picture
    for name, options in (("a.png", {}), ("a.tif", {}), ("b.tif", {"compression": "tiff_lzw"})):
        path = tmp_path / name
        stored.save(path, exif=exif, **options)
        page = only_page(path)
        assert (page.width, page.height) == (40, 20)
        np.testing.assert_array_equal(page.grey, GREY)


def test_every_page_of_a_tiff(tmp_path):
    path = tmp_path / "book.tif"
    pages = [Image.new("L", (30 + n, 20), 50 * n) for n in range(4)]
    pages[0].save(path, save_all=True, append_images=pages[1:])
    assert [(page.page, page.width, int(page.grey[0, 0])) for page in read_pages(path)] == [
        (0, 30, 0),
        (1, 31, 50),
        (2, 32, 100),
        (3, 33, 150),
    ]


def test_pages_of_a_pdf_are_drawn_at_300_dpi(tmp_path):
    path = tmp_path / "book.pdf"
    pages = [Image.new("L", (720, 360), shade) for shade in (0, 255)]
    pages[0].save(path, save_all=True, append_images=pages[1:], resolution=150)
    first, second = read_pages(path)
    assert (first.width, first.height) == pytest.approx((1440, 720), abs=1)
    assert second.page == 1
    assert first.grey[360, 700] < 10
    assert second.grey[360, 700] > 245


@pytest.mark.parametrize("suffix", ["png", "jpg", "tif", "pdf"])
def test_text_under_a_false_name_is_refused_in_one_line(tmp_path, suffix):
    path = tmp_path / f"poem.{suffix}"
    path.write_text("A gull above the weir, and nothing more.\n")
    with pytest.raises(InputError, match=r"poem\.") as caught:
        list(read_pages(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", ["png", "jpg", "tif", "webp", "bmp"])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.9])
def test_truncated_files_are_refused(tmp_path, suffix, share):
    path = tmp_path / f"half.{suffix}"
    noise = np.random.default_rng(0).integers(0, 256, (80, 120), dtype=np.uint8)
    Image.fromarray(noise).save(path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(InputError, match=r"half\."):
        list(read_pages(path))


def test_a_png_without_pixels_is_refused(tmp_path):
    path = tmp_path / "none.png"
    bare_png(path, 0, 10, 8, 0, zlib.compress(b""))
    with pytest.raises(InputError, match=r"none\.png"):
        list(read_pages(path))


def test_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match="gone"):
        list(read_pages(tmp_path / "gone.png"))


def test_a_picture_too_large_is_refused_with_its_size(tmp_path):
    path = tmp_path / "bomb.png"
    bare_png(path, 20_000, 20_000, 8, 2, zlib.compress(b"\0" * 1000))
    with pytest.raises(InputError, match=r"20000 x 20000 pixels .* 1,600,000,000 bytes, at most 536,870,912"):
        list(read_pages(path))


def test_a_large_picture_in_black_and_white_is_reduced(tmp_path, monkeypatch):
    monkeypatch.setattr(images, "MOST_PIXELS", 100_000)
    path = tmp_path / "wide.png"
    width, height = 3000, 2000
    ink = np.ones((height, width), bool)
    ink[:, :1500] = False
    packed = np.pad(np.packbits(ink, axis=1), ((0, 0), (1, 0)))
    bare_png(path, width, height, 1, 0, zlib.compress(packed.tobytes()))
    limit = Image.MAX_IMAGE_PIXELS
    page = only_page(path)
    assert page.grey.size <= 100_000
    assert (page.width, page.height) == (width, height)
    assert page.reduction == pytest.approx(8, rel=0.01)
    assert (page.grey[0, 0], page.grey[-1, -1]) == (0, 255)
    assert limit == Image.MAX_IMAGE_PIXELS


def test_a_large_jpeg_is_reduced_while_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(images, "MOST_PIXELS", 50_000)
    monkeypatch.setenv("LABELFREE_LIMITS", "image=1000000")
    path = tmp_path / "wide.jpg"
    Image.new("RGB", (2000, 1000), "white").save(path)
    page = only_page(path)
    assert page.grey.size <= 50_000
    assert (page.width, page.height) == (2000, 1000)


@pytest.mark.parametrize("name", ["book.tif", "book.gif", "book.pdf", "named.png"])
def test_pages_are_counted_and_read_in_any_order(tmp_path, name):
    pages = [Image.new("L", (30, 20), 60 * n) for n in range(4)]
    pages[0].save(tmp_path / name, "TIFF" if name == "named.png" else None, save_all=True, append_images=pages[1:])
    path = tmp_path / name
    assert page_count(path) == 4
    in_order = [page.grey for page in read_pages(path)]
    assert [int(grey.mean()) for grey in in_order] == pytest.approx([0, 60, 120, 180], abs=2)
    with PageReader() as reader:
        for index in (2, 0, 3, 1):
            page = reader.read(path, index)
            assert page.page == index
            np.testing.assert_array_equal(page.grey, in_order[index])


def test_reading_on_opens_a_file_once_and_decodes_each_page_once(tmp_path, monkeypatch):
    pages = [Image.new("L", (30, 20), n) for n in range(40)]
    pages[0].save(tmp_path / "book.gif", save_all=True, append_images=pages[1:])
    opened, seen = [], []
    open_image, load = Image.open, GifImagePlugin.GifImageFile.load_prepare
    monkeypatch.setattr(Image, "open", lambda *given, **more: opened.append(given) or open_image(*given, **more))
    monkeypatch.setattr(
        GifImagePlugin.GifImageFile, "load_prepare", lambda image: seen.append(image.tell()) or load(image)
    )
    assert len(list(read_pages(tmp_path / "book.gif"))) == 40
    assert len(opened) == 1
    assert seen == list(range(40))


def test_a_pdf_is_opened_anew_now_and_then(tmp_path, monkeypatch):
    monkeypatch.setattr(images, "_PAGES_KEPT", 2)
    pages = [Image.new("L", (30, 20), 40 * n) for n in range(5)]
    pages[0].save(tmp_path / "book.pdf", save_all=True, append_images=pages[1:])
    found = [int(page.grey.mean()) for page in read_pages(tmp_path / "book.pdf")]
    assert found == pytest.approx([0, 40, 80, 120, 160], abs=2)


def test_pages_of_a_tiff_that_are_turned_each_in_its_own_way(tmp_path):
    path = tmp_path / "book.tif"
    turned = Image.fromarray(GREY).transpose(Image.Transpose.ROTATE_90)
    turned.encoderinfo = {"tiffinfo": {274: 6}}
    Image.fromarray(GREY).save(path, save_all=True, append_images=[turned, Image.fromarray(GREY)])
    with Image.open(path) as written:
        written.seek(1)
        assert written.getexif()[0x0112] == 6
    assert all(np.array_equal(page.grey, GREY) for page in read_pages(path))

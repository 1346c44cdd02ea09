"""Makes archives that no honest program makes, and some that only few do: python3 hostile.py FOLDER writes one file for each name below.

The sound ones begin with "sound-": they hold metadata.json and photos/1.jpg as CONTENT has them. All others have something wrong with them.
"""
import os, struct, sys, zlib

METADATA = b'{"photos": ["1.jpg"]}\n'
PHOTO = b"\xff\xd8 not a picture, but who looks? \xff\xd9" * 40
ZIP64 = 0xFFFFFFFF


class Entry:
    """An entry as it should be; what is given by name replaces what would be right, `local_…` before the data, `central_…` in the directory."""

    def __init__(self, name, data=PHOTO, deflated=False, **other):
        self.name = name if isinstance(name, bytes) else name.encode()
        self.data, self.other = data, other
        self.method = 8 if deflated else 0
        self.packed = self.deflate(data) if deflated else data
        self.flags = 0x800 if not self.name.isascii() else 0

    @staticmethod
    def deflate(data):
        deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
        return deflater.compress(data) + deflater.flush()

    def get(self, where, key, default):
        return self.other.get(where + "_" + key, self.other.get(key, default))

    def header(self, where, offset=0):
        get = lambda key, default: self.get(where, key, default)
        flags, method = get("flags", self.flags), get("method", self.method)
        crc, size, packed = get("crc", zlib.crc32(self.data)), get("size", len(self.data)), get("packed", len(self.packed))
        name, extra = get("name", self.name), get("extra", b"")
        if where == "local" and "descriptor" in self.other:
            crc = size = packed = 0
        if self.other.get("zip64"):
            extra += struct.pack("<HHQQ", 1, 16, size, packed)
            size = packed = ZIP64
        common = struct.pack("<HHHHHIIIHH", 45, flags, method, 0, 33, crc, packed, size, len(name), len(extra))
        if where == "local":
            return b"PK\3\4" + common + name + extra
        return b"PK\1\2" + struct.pack("<H", get("maker", 3 << 8 | 45)) + common + struct.pack(
            "<HHHII", 0, 0, 0, get("mode", 0o100644) << 16 | get("dos", 0), get("offset", offset)) + name + extra

    def local(self):
        return self.header("local") + self.other.get("packed_data", self.packed) + self.other.get("descriptor", b"")


def descriptor(data, packed, signature=b"PK\7\10", form="<III"):
    return signature + struct.pack(form, zlib.crc32(data), len(packed), len(data))


def archive(entries, central=None, gap=b"", tail=b"", zip64=False, count=None, start=b"", comment=b"", size=None, at=None):
    out, offsets = start, []
    for entry in entries:
        offsets.append(len(out))
        out += entry.local() + gap
    begin = len(out)
    for entry, offset in zip(entries, offsets):
        if central is None or entry in central:
            out += entry.header("central", offset)
    length = len(out) - begin
    number = len(central if central is not None else entries) if count is None else count
    begin, length = begin if at is None else at, length if size is None else size
    if zip64:
        end = len(out)
        out += b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, number, number, length, begin)
        out += b"PK\6\7" + struct.pack("<IQI", 0, end, 1)
        number, length, begin = 0xFFFF, ZIP64, ZIP64
    return out + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, number, number, length, begin, len(comment)) + comment + tail


metadata, photo = Entry("metadata.json", METADATA, deflated=True), Entry("photos/1.jpg")


def beside(*others, **how):
    return archive([metadata, photo, *others], **how)


def streamed(data, **how):
    packed = Entry.deflate(data)
    return dict(deflated=True, flags=8, descriptor=descriptor(data, packed, **how))


secret = Entry("photos/2.jpg")
bomb = bytes(8 << 20)
ARCHIVES = {
    "sound-plain": beside(),
    "sound-comment": beside(comment=b"made by hand PK\5\6"),
    "sound-zip64": archive([Entry("metadata.json", METADATA, zip64=True), Entry("photos/1.jpg", zip64=True)], zip64=True),
    "sound-descriptors": archive([
        Entry("metadata.json", METADATA, **streamed(METADATA)), Entry("photos/1.jpg", PHOTO, **streamed(PHOTO, signature=b""))]),
    "sound-stored-descriptor": archive([metadata, Entry("photos/1.jpg", flags=8, descriptor=descriptor(PHOTO, PHOTO))]),
    "sound-stored-without-signature": archive([
        Entry("photos/1.jpg", flags=8, descriptor=descriptor(PHOTO, PHOTO, signature=b"")), metadata]),
    "sound-descriptor-zip64": archive([
        metadata, Entry("photos/1.jpg", PHOTO, zip64=True, extra=struct.pack("<HH", 0x7777, 0), **streamed(PHOTO, form="<IQQ"))]),
    "sound-folder": archive([metadata, Entry("photos/", b"", mode=0o040755, dos=16), photo]),
    "sound-dos": archive([Entry("metadata.json", METADATA, maker=20, mode=0), Entry("photos/1.jpg", maker=20, mode=0, dos=32)]),

    "traversal": beside(Entry("../evil.txt")),
    "traversal-inside": beside(Entry("photos/../../evil.txt")),
    "traversal-last": beside(Entry("photos/..")),
    "absolute": beside(Entry("/etc/passwd")),
    "backslash": beside(Entry("..\\evil.txt")),
    "drive": beside(Entry("C:evil.txt")),
    "empty-name": beside(Entry("")),
    "empty-folder": beside(Entry("photos//2.jpg")),
    "dot": beside(Entry("./2.jpg")),
    "control": beside(Entry("photos/2\n.jpg")),
    "control-c1": beside(Entry("photos/2\u0085.jpg")),
    "nul": beside(Entry("photos/2.jpg\0.txt")),
    "no-utf8": beside(Entry(b"photos/\xff\xfe.jpg")),
    "long-name": beside(Entry("photos/" + "a/" * 600 + "2.jpg")),
    "long-part": beside(Entry("photos/" + "a" * 256 + ".jpg")),
    "link": beside(Entry("photos/2.jpg", b"/etc/passwd", mode=0o120777)),
    "device": beside(Entry("photos/2.jpg", b"", mode=0o020666)),
    "folder-that-is-a-file": beside(Entry("photos/more/", b"", mode=0o100644)),
    "file-that-is-a-folder": beside(Entry("photos/more", b"", mode=0o040755)),
    "duplicate": beside(Entry("photos/1.jpg", b"another")),
    "case-clash": beside(Entry("photos/1.JPG", b"another")),
    "fold-clash": beside(Entry("photos/sfi.jpg"), Entry("photos/\u017f\ufb01.jpg")),
    "sharp-s-clash": beside(Entry("photos/stra\u00dfe.jpg"), Entry("photos/STRASSE.jpg")),
    "normalisation-clash": beside(Entry("photos/\u00e9.jpg"), Entry("photos/e\u0301.jpg")),
    "file-around-files": archive([Entry("photos", b"a file"), metadata, photo]),
    "file-around-files-last": beside(Entry("photos", b"a file")),
    "folder-case-clash": beside(Entry("Photos/2.jpg")),
    "file-and-folder": beside(Entry("photos/1.jpg/", b"", mode=0o040755)),
    "encrypted": beside(Entry("photos/2.jpg", flags=1)),
    "strongly-encrypted": beside(Entry("photos/2.jpg", flags=0x41)),
    "wrong-checksum": beside(Entry("photos/2.jpg", crc=1)),
    "wrong-checksum-in-descriptor": beside(Entry("photos/2.jpg", PHOTO, **streamed(PHOTO), central_crc=1)),
    "size-too-large": beside(Entry("photos/2.jpg", PHOTO, deflated=True, size=9999)),
    "size-too-small": beside(Entry("photos/2.jpg", PHOTO, deflated=True, size=17)),
    "size-in-descriptor": beside(Entry("photos/2.jpg", PHOTO, **streamed(PHOTO), central_size=17)),
    "sizes-disagree": beside(Entry("photos/2.jpg", PHOTO, deflated=True, local_size=17)),
    "checksums-disagree": beside(Entry("photos/2.jpg", local_crc=17)),
    "methods-disagree": beside(Entry("photos/2.jpg", local_method=8)),
    "flags-disagree": beside(Entry("photos/2.jpg", local_flags=0x800)),
    "names-disagree": beside(Entry("photos/2.jpg", local_name=b"photos/3.jpg")),
    "hidden-before": archive([metadata, secret, photo], central=[metadata, photo]),
    "hidden-last": archive([metadata, photo, secret], central=[metadata, photo]),
    "gap": beside(gap=b"....."),
    "prefix": archive([metadata, photo], start=b"PK\3\4....."),
    "shared-data": archive([metadata, photo, Entry("photos/2.jpg", central_offset=len(metadata.local()))]),
    "overlap": beside(Entry("photos/2.jpg", packed=len(PHOTO) - 40, size=len(PHOTO) - 40, crc=zlib.crc32(PHOTO[:-40]))),
    "tail": beside(tail=b"more"),
    "two-ends": beside(tail=archive([photo])),
    "count": beside(count=3),
    "directory-size": beside(size=7),
    "directory-offset": beside(at=1 << 31),
    "zip64-disagrees": beside(zip64=True)[:-12] + struct.pack("<HIIH", 7, ZIP64, ZIP64, 0),
    "no-method": beside(Entry("photos/2.jpg", method=99)),
    "bomb": beside(Entry("photos/2.jpg", bomb, deflated=True)),
    "small-bombs": beside(*(Entry(f"photos/0{number}.jpg", b"\0" * 1_000_000, deflated=True) for number in range(20))),
    "bomb-in-descriptor": beside(Entry("photos/2.jpg", bomb, **streamed(bomb))),
    "wrong-descriptor": beside(Entry("photos/2.jpg", PHOTO, deflated=True, flags=8, descriptor=b"PK\7\10" + struct.pack("<III", 1, 2, 3))),
    "bytes-after-deflate": beside(Entry("photos/2.jpg", PHOTO, deflated=True, packed_data=Entry.deflate(PHOTO) + b"more", packed=len(Entry.deflate(PHOTO)) + 4)),
    "bytes-after-streamed-deflate": beside(Entry("photos/2.jpg", PHOTO, deflated=True, flags=8, packed=len(Entry.deflate(PHOTO)) + 4,
        packed_data=Entry.deflate(PHOTO) + b"more", descriptor=descriptor(PHOTO, Entry.deflate(PHOTO) + b"more"))),
    "cut-directory": beside()[:-40],
    "cut-end": beside()[:-1],
    "cut-data": beside()[:len(metadata.local()) + 300],
    "cut-header": beside()[:len(metadata.local()) + 12],
    "only-magic": b"PK\3\4",
    "broken-data": beside(Entry("photos/2.jpg", PHOTO, deflated=True, packed_data=b"\xff" * len(Entry.deflate(PHOTO)))),
}

if __name__ == "__main__":
    for name, data in ARCHIVES.items():
        with open(os.path.join(sys.argv[1], name + ".zip"), "wb") as file:
            file.write(data)

import { expect, it } from "vitest";
import { BYTES_MAX, type Change, type Disk, type Entry, Files, PIECE, type Piece, type Saved } from "./files";

/** Calls a function of the files as Go does; throws the code of an error. */
function call(files: Files, name: keyof Files, ...args: unknown[]): unknown {
  let out: unknown;
  (files[name] as (...all: unknown[]) => void)(...args, (err: { code?: string } | null, value: unknown) => {
    if (err) throw err.code ?? err;
    out = value;
  });
  return out;
}

const bytes = (text: string) => new TextEncoder().encode(text);

function filled(text: string) {
  const files = new Files(() => undefined);
  const O = files.constants;
  call(files, "mkdir", "/a", 0o700);
  const fd = call(files, "open", "/a/b", O.O_CREAT | O.O_EXCL | O.O_RDWR, 0o600) as number;
  expect(call(files, "write", fd, bytes(text), 0, text.length, null)).toBe(text.length);
  const read = (at: number | null, most = 100) => {
    const into = new Uint8Array(most);
    const n = call(files, "read", fd, into, 0, most, at) as number;
    return new TextDecoder().decode(into.subarray(0, n));
  };
  return { files, fd, read, O };
}

it("keeps what is written, at a place and after what is there", () => {
  const { files, fd, read } = filled("journal");
  expect([read(0), read(3, 2), read(7)]).toEqual(["journal", "rn", ""]);
  call(files, "write", fd, bytes("-xyz-"), 1, 3, null);
  call(files, "write", fd, bytes("J"), 0, 1, 0);
  expect(read(0)).toBe("Journalxyz");
  const long = "z".repeat(10_000);
  call(files, "write", fd, bytes(long), 0, long.length, null);
  expect(read(9_000, 2_000)).toBe("z".repeat(1_010));
  call(files, "ftruncate", fd, 3);
  expect(read(0)).toBe("Jou");
  call(files, "ftruncate", fd, 5);
  expect(read(0)).toBe("Jou\0\0");
  expect(call(files, "fstat", fd)).toMatchObject({ size: 5 });
});

it("has folders, and files by their newest names", () => {
  const { files, fd, read, O } = filled("x");
  expect(call(files, "readdir", "/")).toEqual(["a"]);
  call(files, "mkdir", "/a/past", 0o700);
  call(files, "rename", "/a/b", "/a/past/c");
  expect(call(files, "readdir", "/a")).toEqual(["past"]);
  expect(read(0)).toBe("x"); // an open file stays open
  expect(() => call(files, "stat", "/a/b")).toThrow("ENOENT");
  const again = call(files, "open", "/a/past/c", O.O_RDONLY, 0) as number;
  expect((call(files, "fstat", again) as { isDirectory(): boolean }).isDirectory()).toBe(false);
  expect((call(files, "lstat", "/a") as { isDirectory(): boolean }).isDirectory()).toBe(true);
  call(files, "unlink", "/a/past/c");
  expect(call(files, "readdir", "/a/past")).toEqual([]);
  call(files, "close", fd);
  expect(() => read(0)).toThrow("EBADF");
});

it("refuses as a disk does", () => {
  const { files, O } = filled("x");
  expect(() => call(files, "open", "/a/b", O.O_CREAT | O.O_EXCL | O.O_RDWR, 0)).toThrow("EEXIST");
  expect(() => call(files, "open", "/a/none", O.O_RDWR, 0)).toThrow("ENOENT");
  expect(() => call(files, "open", "/none/b", O.O_CREAT | O.O_RDWR, 0)).toThrow("ENOENT");
  expect(() => call(files, "open", "/a/b/c", O.O_CREAT | O.O_RDWR, 0)).toThrow("ENOTDIR");
  expect(() => call(files, "open", "/a", O.O_RDWR, 0)).toThrow("EISDIR");
  expect(() => call(files, "mkdir", "/a", 0)).toThrow("EEXIST");
  expect(() => call(files, "unlink", "/a")).toThrow("EISDIR");
  expect(() => call(files, "rename", "/a/b", "/none/b")).toThrow("ENOENT");
  expect(() => call(files, "rmdir", "/a/none")).toThrow("ENOENT");
  expect(() => call(files, "rmdir", "/a/b")).toThrow("ENOTDIR");
  expect(() => call(files, "rmdir", "/a")).toThrow("EPERM");
  expect(() => call(files, "close", 99)).toThrow("EBADF");
});

it("says what the program prints, by lines", () => {
  const lines: string[] = [];
  const files = new Files((line) => lines.push(line));
  const print = (text: string) => call(files, "write", 2, bytes(text), 0, text.length, null);
  print("one\ntw");
  print("o\n");
  expect(lines).toEqual(["one", "two"]);
});

/** A disk in memory, which takes changes whole. */
class Memory implements Disk {
  readonly entries = new Map<string, Entry>();
  readonly pieces = new Map<string, Piece>();
  changes: Change[] = [];
  full = false;

  async take(change: Change): Promise<void> {
    if (this.full) throw new Error("QuotaExceededError");
    this.changes.push(change);
    for (const path of change.gone) this.entries.delete(path);
    for (const e of change.entries) this.entries.set(e.path, e);
    for (const p of change.pieces) this.pieces.set(`${p.number}/${p.n}`, p);
    for (const n of change.dropped)
      for (const key of this.pieces.keys()) if (key.startsWith(`${n}/`)) this.pieces.delete(key);
  }

  get saved(): Saved {
    return { entries: [...this.entries.values()], pieces: [...this.pieces.values()] };
  }
}

const sync = (files: Files, fd: number) => new Promise<void>((r) => files.fsync(fd, () => r()));

function text(files: Files, path: string): string {
  const fd = call(files, "open", path, 0, 0) as number;
  const into = new Uint8Array(100_000);
  const n = call(files, "read", fd, into, 0, into.length, 0) as number;
  return new TextDecoder().decode(into.subarray(0, n));
}

it("finds on its disk what was synced, and no more", async () => {
  const disk = new Memory();
  const files = new Files(() => undefined, disk);
  const O = files.constants;
  const make = (path: string) => call(files, "open", path, O.O_CREAT | O.O_RDWR, 0) as number;
  const write = (fd: number, words: string) => call(files, "write", fd, bytes(words), 0, words.length, null);
  call(files, "mkdir", "/a", 0);
  const fd = make("/a/b");
  const long = "abcdefgh".repeat(PIECE / 4);
  write(fd, long);
  const gone = make("/a/gone");
  write(gone, "gone");
  await sync(files, fd);
  write(fd, "+ synced");
  call(files, "unlink", "/a/gone");
  await sync(files, fd);
  expect(disk.changes[1].pieces.map((p) => p.n)).toEqual([2]); // the other pieces are there
  write(fd, "+ lost");
  call(files, "rename", "/a/b", "/a/lost");
  const again = new Files(() => undefined, new Memory(), disk.saved);
  expect(call(again, "readdir", "/a")).toEqual(["b"]);
  expect(text(again, "/a/b")).toBe(`${long}+ synced`);
  expect(again.bytes).toBe(long.length + 8);
  expect(disk.saved.pieces.length).toBe(3); // none of the file that is gone

  // A file in place of another, and a shorter one.
  call(files, "ftruncate", fd, PIECE + 1);
  const fresh = make("/a/fresh");
  write(fresh, "new");
  call(files, "rename", "/a/fresh", "/a/lost");
  await sync(files, fresh);
  const third = new Files(() => undefined, null, disk.saved);
  expect(call(third, "readdir", "/a")).toEqual(["lost"]);
  expect(text(third, "/a/lost")).toBe("new");
  expect(disk.saved.pieces.length).toBe(1);
});

it("fills with zeros what a truncated file grows by", async () => {
  const disk = new Memory();
  const files = new Files(() => undefined, disk);
  const O = files.constants;
  const fd = call(files, "open", "/x", O.O_CREAT | O.O_RDWR, 0) as number;
  const long = "z".repeat(3 * PIECE);
  call(files, "write", fd, bytes(long), 0, long.length, 0);
  await sync(files, fd);
  call(files, "ftruncate", fd, 5);
  call(files, "ftruncate", fd, 3 * PIECE);
  await sync(files, fd);
  expect(text(new Files(() => undefined, null, disk.saved), "/x")).toBe(`zzzzz${"\0".repeat(3 * PIECE - 5)}`);
});

it("goes on in memory, and says so once, when the disk takes no more", async () => {
  for (const full of [true, false]) {
    const disk = new Memory();
    const said: unknown[] = [];
    const files = new Files(
      () => undefined,
      disk,
      undefined,
      (why) => said.push(String(why)),
    );
    const fd = call(files, "open", "/x", files.constants.O_CREAT | files.constants.O_RDWR, 0) as number;
    if (full) disk.full = true;
    else call(files, "ftruncate", fd, BYTES_MAX + 1);
    await Promise.all([sync(files, fd), sync(files, fd)]);
    call(files, "write", fd, bytes("on"), 0, 2, 0);
    await sync(files, fd);
    expect(said).toEqual([expect.stringContaining(full ? "Quota" : `${BYTES_MAX}`)]);
    expect(disk.changes).toEqual([]);
    const into = new Uint8Array(2);
    call(files, "read", fd, into, 0, 2, 0);
    expect(new TextDecoder().decode(into)).toBe("on");
  }
});

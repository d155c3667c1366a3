import { expect, it } from "vitest";
import { Files } from "./files";

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

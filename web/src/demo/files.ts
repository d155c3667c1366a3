// The file system of the match service in a worker: Node's functions, as Go's programs for JavaScript call them, over
// files in memory. Only the functions that package match/journal comes to are here; a path is absolute.

/** A file's bytes, which grow by appending. */
class File {
  bytes = new Uint8Array(1 << 12);
  size = 0;
  changedMs = Date.now();

  write(b: Uint8Array, at: number): void {
    if (at + b.length > this.bytes.length) {
      const more = new Uint8Array(Math.max(at + b.length, 2 * this.bytes.length));
      more.set(this.bytes.subarray(0, this.size));
      this.bytes = more;
    }
    this.bytes.set(b, at);
    this.size = Math.max(this.size, at + b.length);
    this.changedMs = Date.now();
  }

  truncate(size: number): void {
    this.bytes.fill(0, Math.min(size, this.size));
    if (size > this.size) this.write(new Uint8Array(size - this.size), this.size);
    this.size = size;
  }
}

interface Open {
  readonly file: File | null; // null: a folder
  at: number;
}

type Done<T = void> = (err: unknown, value?: T) => void;

const O = {
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 64,
  O_EXCL: 128,
  O_TRUNC: 512,
  O_APPEND: 1024,
  O_DIRECTORY: 65536,
};
const FOLDER_MODE = 0o40700;
const FILE_MODE = 0o100600;
/** The first number of an open file: those before are a program's input and outputs. */
const FIRST = 3;

/** An error as Node has it. */
function failure(code: string, what: string | number): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}

/** Answers a call of the program. */
function answer<T>(done: Done<T>, work: () => T): void {
  let value: T;
  try {
    value = work();
  } catch (err) {
    done(err);
    return;
  }
  done(null, value);
}

const parent = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/";

/** The files of one program. */
export class Files {
  readonly constants = O;
  /** By path; null is a folder. */
  private readonly entries = new Map<string, File | null>([["/", null]]);
  private readonly opened = new Map<number, Open>();
  private next = FIRST;
  private line = "";

  /** `say` gets each line that the program prints. */
  constructor(private readonly say: (line: string) => void) {}

  open(path: string, flags: number, _mode: number, done: Done<number>): void {
    answer(done, () => {
      let file = this.entries.get(path);
      if (file === undefined) {
        if (!(flags & O.O_CREAT)) throw failure("ENOENT", path);
        this.needFolder(parent(path));
        file = new File();
        this.entries.set(path, file);
      } else if (flags & O.O_CREAT && flags & O.O_EXCL) throw failure("EEXIST", path);
      if (file === null && flags & (O.O_WRONLY | O.O_RDWR)) throw failure("EISDIR", path);
      if (file && flags & O.O_TRUNC) file.truncate(0);
      this.opened.set(this.next, { file, at: flags & O.O_APPEND && file ? file.size : 0 });
      return this.next++;
    });
  }

  close(fd: number, done: Done): void {
    answer(done, () => {
      if (!this.opened.delete(fd)) throw failure("EBADF", fd);
    });
  }

  read(
    fd: number,
    into: Uint8Array,
    offset: number,
    length: number,
    at: number | null,
    done: Done<number>,
  ): void {
    answer(done, () => {
      const { open, file } = this.fileOf(fd);
      const from = at ?? open.at;
      const part = file.bytes.subarray(from, Math.min(from + length, file.size));
      into.set(part, offset);
      if (at === null) open.at += part.length;
      return part.length;
    });
  }

  write(
    fd: number,
    from: Uint8Array,
    offset: number,
    length: number,
    at: number | null,
    done: Done<number>,
  ): void {
    answer(done, () => {
      const part = from.subarray(offset, offset + length);
      if (fd < FIRST) return this.writeSync(fd, part);
      const { open, file } = this.fileOf(fd);
      file.write(part, at ?? open.at);
      if (at === null) open.at += part.length;
      return part.length;
    });
  }

  /** Go prints a panic with it. */
  writeSync(_fd: number, part: Uint8Array): number {
    const lines = (this.line + new TextDecoder().decode(part)).split("\n");
    this.line = lines.pop() ?? "";
    for (const line of lines) this.say(line);
    return part.length;
  }

  fsync(_fd: number, done: Done): void {
    done(null);
  }

  ftruncate(fd: number, size: number, done: Done): void {
    answer(done, () => this.fileOf(fd).file.truncate(size));
  }

  fstat(fd: number, done: Done<object>): void {
    answer(done, () => {
      const open = this.opened.get(fd);
      if (!open) throw failure("EBADF", fd);
      return stat(open.file);
    });
  }

  stat(path: string, done: Done<object>): void {
    answer(done, () => {
      const file = this.entries.get(path);
      if (file === undefined) throw failure("ENOENT", path);
      return stat(file);
    });
  }

  lstat(path: string, done: Done<object>): void {
    this.stat(path, done);
  }

  mkdir(path: string, _mode: number, done: Done): void {
    answer(done, () => {
      if (this.entries.has(path)) throw failure("EEXIST", path);
      this.needFolder(parent(path));
      this.entries.set(path, null);
    });
  }

  readdir(path: string, done: Done<string[]>): void {
    answer(done, () => {
      this.needFolder(path);
      const inside = [...this.entries.keys()].filter((p) => p !== path && parent(p) === path);
      return inside.map((p) => p.slice(p.lastIndexOf("/") + 1)).sort();
    });
  }

  rename(from: string, to: string, done: Done): void {
    answer(done, () => {
      const file = this.take(from);
      this.needFolder(parent(to));
      this.entries.delete(from);
      this.entries.set(to, file);
    });
  }

  unlink(path: string, done: Done): void {
    answer(done, () => {
      this.take(path);
      this.entries.delete(path);
    });
  }

  private fileOf(fd: number): { open: Open; file: File } {
    const open = this.opened.get(fd);
    if (!open?.file) throw failure("EBADF", fd);
    return { open, file: open.file };
  }

  private take(path: string): File {
    const file = this.entries.get(path);
    if (!file) throw failure(file === null ? "EISDIR" : "ENOENT", path);
    return file;
  }

  private needFolder(path: string): void {
    const entry = this.entries.get(path);
    if (entry !== null) throw failure(entry ? "ENOTDIR" : "ENOENT", path);
  }
}

function stat(file: File | null): object {
  const ms = file?.changedMs ?? 0;
  return {
    ...{ dev: 0, ino: 0, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, blocks: 0 },
    ...{ atimeMs: ms, mtimeMs: ms, ctimeMs: ms, size: file?.size ?? 0 },
    mode: file ? FILE_MODE : FOLDER_MODE,
    isDirectory: () => file === null,
  };
}

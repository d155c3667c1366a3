// The file system of the match service in a worker: Node's functions, as Go's programs for JavaScript call them, over
// files in memory. Only the functions that package match/journal comes to are here; a path is absolute.
//
// With a disk, a sync of any file waits until the disk has all that changed before it, at once: a page that ends
// leaves the files as one of their syncs left them.

/** A disk takes the changed bytes of a file by pieces of this size. */
export const PIECE = 1 << 12;

/** A name on the disk: of a file, or of a folder, which has no number. */
export interface Entry {
  readonly path: string;
  readonly number?: number;
  readonly size: number;
  readonly changedMs: number;
}

/** A piece of the file with a number. */
export interface Piece {
  readonly number: number;
  readonly n: number;
  readonly bytes: Uint8Array;
}

/** Changes that a disk takes all at once, or not at all. */
export interface Change {
  readonly entries: readonly Entry[];
  readonly gone: readonly string[];
  readonly pieces: readonly Piece[];
  /** Numbers of files without a name. */
  readonly dropped: readonly number[];
}

/** Keeps files beyond the life of a worker. */
export interface Disk {
  take(change: Change): Promise<void>;
}

/** The files on a disk as it was opened. */
export interface Saved {
  readonly entries: readonly Entry[];
  readonly pieces: readonly Piece[];
}

/** A file's bytes, which grow by appending. */
class File {
  bytes = new Uint8Array(1 << 12);
  size = 0;
  changedMs = Date.now();
  /** Pieces that the disk does not have. */
  readonly dirty = new Set<number>();

  constructor(readonly number: number) {}

  write(b: Uint8Array, at: number): void {
    if (b.length === 0) return;
    this.touch(at, at + b.length);
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
    this.touch(size, this.size);
    this.changedMs = Date.now();
    this.bytes.fill(0, Math.min(size, this.size));
    if (size > this.size) this.write(new Uint8Array(size - this.size), this.size);
    this.size = size;
  }

  private touch(from: number, to: number): void {
    for (let n = Math.floor(from / PIECE); n * PIECE < to; n++) this.dirty.add(n);
  }

  /** Takes the pieces that the disk does not have. */
  take(): Piece[] {
    const out = [...this.dirty].map((n) => {
      const bytes = this.bytes.slice(n * PIECE, Math.min((n + 1) * PIECE, this.size));
      return { number: this.number, n, bytes };
    });
    this.dirty.clear();
    return out;
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
/** A disk keeps at most so much. The program deletes old matches before (solo/saves.go). */
export const BYTES_MAX = 96 << 20;
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
  private numbers = 0;
  /** Names that the disk does not have as they are, and files that lost theirs. */
  private renamed = new Set<string>();
  private dropped: number[] = [];

  /**
   * `say` gets each line that the program prints. `lost` is called once, when the disk refuses a change: from then on
   * files are in memory alone.
   */
  constructor(
    private readonly say: (line: string) => void,
    private disk: Disk | null = null,
    saved: Saved = { entries: [], pieces: [] },
    private readonly lost: (why: unknown) => void = () => undefined,
  ) {
    const byNumber = new Map<number, File>();
    for (const { path, number, size, changedMs } of saved.entries) {
      const file = number === undefined ? null : new File(number);
      this.entries.set(path, file);
      if (!file) continue;
      this.numbers = Math.max(this.numbers, file.number);
      file.bytes = new Uint8Array(Math.max(1 << 12, size));
      file.size = size;
      file.changedMs = changedMs;
      byNumber.set(file.number, file);
    }
    for (const { number, n, bytes } of saved.pieces) {
      const file = byNumber.get(number);
      if (file && n * PIECE < file.size) file.bytes.set(bytes.subarray(0, file.size - n * PIECE), n * PIECE);
    }
  }

  /** Bytes of all files. */
  get bytes(): number {
    let sum = 0;
    for (const file of this.entries.values()) sum += file?.size ?? 0;
    return sum;
  }

  open(path: string, flags: number, _mode: number, done: Done<number>): void {
    answer(done, () => {
      let file = this.entries.get(path);
      if (file === undefined) {
        if (!(flags & O.O_CREAT)) throw failure("ENOENT", path);
        this.needFolder(parent(path));
        file = new File(++this.numbers);
        this.put(path, file);
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
    void this.sync().then(() => done(null));
  }

  /** Brings all changes to the disk. */
  private async sync(): Promise<void> {
    const { disk } = this;
    if (!disk) return;
    const entries: Entry[] = [];
    const pieces: Piece[] = [];
    for (const [path, file] of this.entries) {
      if (!file?.dirty.size && !this.renamed.has(path)) continue;
      entries.push({ path, number: file?.number, size: file?.size ?? 0, changedMs: file?.changedMs ?? 0 });
      if (file) pieces.push(...file.take());
    }
    const gone = [...this.renamed].filter((path) => !this.entries.has(path));
    const change = { entries, gone, pieces, dropped: this.dropped };
    this.renamed = new Set();
    this.dropped = [];
    try {
      if (this.bytes > BYTES_MAX) throw new Error(`the files have more than ${BYTES_MAX} bytes`);
      await disk.take(change);
    } catch (err) {
      if (this.disk) this.lost(err);
      this.disk = null;
    }
  }

  /** Gives a file or a folder a name. */
  private put(path: string, file: File | null): void {
    const before = this.entries.get(path);
    if (before) this.dropped.push(before.number);
    this.entries.set(path, file);
    this.renamed.add(path);
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
      this.put(path, null);
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
      this.renamed.add(from);
      this.put(to, file);
    });
  }

  unlink(path: string, done: Done): void {
    answer(done, () => {
      this.dropped.push(this.take(path).number);
      this.entries.delete(path);
      this.renamed.add(path);
    });
  }

  /** Go tries it after each unlink that failed. No folder is ever deleted. */
  rmdir(path: string, done: Done): void {
    answer(done, () => {
      const entry = this.entries.get(path);
      throw failure(entry === null ? "EPERM" : entry ? "ENOTDIR" : "ENOENT", path);
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

// The disk of the match service's files: an IndexedDB of the page's origin. One worker has it at a time.

import type { StorageState } from "./api";
import type { Change, Disk, Entry, Piece, Saved } from "./files";

const NAME = "fogkeep";

/** A disk with its files, or why there is none. */
export async function openDisk(): Promise<{ disk: Disk; saved: Saved } | StorageState> {
  try {
    if (!(await alone())) return "elsewhere";
    const db = await opened();
    const read = db.transaction(["entries", "pieces"]);
    const [entries, pieces] = await Promise.all([
      result<Entry[]>(read.objectStore("entries").getAll()),
      result<Piece[]>(read.objectStore("pieces").getAll()),
    ]);
    return { disk: { take: (change) => take(db, change) }, saved: { entries, pieces } };
  } catch (err) {
    console.warn(err);
    return "none";
  }
}

/** A page that is loaded again may be here before the worker of the page before has gone. */
const WAIT_MS = 3000;

/** Whether no other page has the files. The lock lasts as long as the worker. */
const alone = (): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(WAIT_MS);
    navigator.locks
      .request(NAME, { signal }, () => {
        resolve(true);
        return new Promise(() => undefined);
      })
      .catch((err) => (signal.aborted ? resolve(false) : reject(err)));
  });

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("entries", { keyPath: "path" });
    request.result.createObjectStore("pieces", { keyPath: ["number", "n"] });
  };
  return result(request);
}

function take(db: IDBDatabase, { entries, gone, pieces, dropped }: Change): Promise<void> {
  return new Promise((resolve, reject) => {
    const all = db.transaction(["entries", "pieces"], "readwrite", { durability: "relaxed" });
    all.oncomplete = () => resolve();
    all.onabort = () => reject(all.error);
    const names = all.objectStore("entries");
    const bytes = all.objectStore("pieces");
    for (const path of gone) names.delete(path);
    for (const entry of entries) names.put(entry);
    for (const piece of pieces) bytes.put(piece);
    for (const number of dropped) bytes.delete(IDBKeyRange.bound([number], [number + 1], false, true));
  });
}

const result = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

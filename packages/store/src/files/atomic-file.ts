/**
 * @file Writes a file under its final name only when it is whole: into NAME.PID-N.part first, flushed, then renamed. A kill leaves the file
 * that was there before or the new one, never a part of one. The one mechanism for every result that is written.
 */

import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Fault, isFault, sentenceOf } from '@ludus-agents/kernel/internal/core/fault';

export interface AtomicOptions {
  /** Permissions of the file; 0666 less the umask by default. */
  readonly mode?: number;
  /** Waits for the disk before the rename; true by default. A cache that can be filled again does without. */
  readonly flush?: boolean;
  /** The system calls, for tests that let them fail. */
  readonly disk?: Disk;
}

/** The few system calls that writing needs. */
export interface Disk {
  open(path: string, flags: string, mode: number): number;
  write(file: number, bytes: Uint8Array): number;
  sync(file: number): void;
  close(file: number): void;
  rename(from: string, to: string): void;
}

const realDisk: Disk = {
  open: openSync,
  write: (file, bytes) => writeSync(file, bytes),
  sync: fsyncSync,
  close: closeSync,
  rename: renameSync,
};

export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/** A file on its way: written piece by piece, then committed under its name or discarded. */
export class AtomicFile {
  readonly path: string;
  readonly #part: string | null;
  readonly #options: AtomicOptions;
  readonly #disk: Disk;
  readonly #digest = createHash('sha256');
  #file: number | null;
  #bytes = 0;

  constructor(path: string, options: AtomicOptions = {}) {
    // A link is followed to the file it means; a device or a pipe is written as it is, since nothing may take its place.
    const stats = statSync(path, { throwIfNoEntry: false });
    this.path = stats === undefined ? path : realpathSync(path);
    this.#options = options;
    this.#disk = options.disk ?? realDisk;
    const direct = stats !== undefined && !stats.isFile() && !stats.isDirectory();
    this.#part = direct ? null : partName(this.path);
    // Exclusive: a link that another user placed under this name is not followed.
    this.#file = this.#try(() => this.#disk.open(this.#part ?? this.path, direct ? 'w' : 'wx', options.mode ?? 0o666));
  }

  /** Everything is written when this returns; it blocks, so pieces should be small. */
  write(content: string | Uint8Array): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.#try(() => {
      for (let at = 0; at < bytes.length; ) at += this.#disk.write(this.#open(), bytes.subarray(at));
    }, bytes.length);
    this.#digest.update(bytes);
    this.#bytes += bytes.length;
  }

  /** Flushes, renames, flushes the folder; returns the digest of the file. */
  commit(): FileDigest {
    this.#try(() => {
      const file = this.#open();
      if (this.#options.flush !== false && this.#part !== null) this.#disk.sync(file);
      this.#file = null;
      this.#disk.close(file);
      if (this.#part !== null) this.#disk.rename(this.#part, this.path);
    });
    if (this.#options.flush !== false && this.#part !== null) syncFolder(dirname(this.path));
    return { bytes: this.#bytes, sha256: this.#digest.digest('hex') };
  }

  /** Leaves the previous file unchanged. May be called at any time, even after a failure. */
  discard(): void {
    const file = this.#file;
    this.#file = null;
    try {
      if (file !== null) this.#disk.close(file);
    } catch {
      // The first failure is the one to report.
    }
    if (this.#part !== null) rmSync(this.#part, { force: true });
  }

  #open(): number {
    if (this.#file === null) throw new Fault('store', `${this.path} was already written or discarded.`);
    return this.#file;
  }

  #try<T>(work: () => T, needed = 0): T {
    try {
      return work();
    } catch (thrown) {
      this.discard();
      throw toDiskFault(thrown, this.path, this.#bytes + needed);
    }
  }
}

let count = 0;

/** Where a file is written before it gets its name. */
export function partName(path: string): string {
  count += 1;
  return `${path}.${process.pid}-${count}.part`;
}

/** Renames a part finished by another writer to its final name, and returns its digest. */
export async function commitPart(part: string, path: string): Promise<FileDigest> {
  const digest = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(part)) {
      digest.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
    }
    const file = openSync(part, 'r+');
    fsyncSync(file);
    closeSync(file);
    renameSync(part, path);
  } catch (thrown) {
    throw toDiskFault(thrown, path, bytes);
  }
  syncFolder(dirname(path));
  return { bytes, sha256: digest.digest('hex') };
}

/** Opens a file that is written piece by piece, and removes the parts that killed processes left of it. */
export function openAtomicFile(path: string, options: AtomicOptions = {}): AtomicFile {
  removeDeadParts(path);
  return new AtomicFile(path, options);
}

/** Writes a text piece by piece, and renames the file after the last piece is on disk. */
export async function writeTextFile(path: string, pieces: AsyncIterable<string>, options: AtomicOptions = {}): Promise<FileDigest> {
  const file = openAtomicFile(path, options);
  try {
    let current: string[] = [];
    let size = 0;
    for await (const piece of pieces) {
      current.push(piece);
      size += piece.length;
      if (size < 2 ** 16) continue;
      file.write(current.join(''));
      current = [];
      size = 0;
    }
    file.write(current.join(''));
    return file.commit();
  } finally {
    file.discard();
  }
}

/**
 * Writes a whole file at once. Removes the parts left by killed processes, except in a cache: searching its folder costs more than a
 * leftover part.
 */
export function writeFileAtomicSync(path: string, content: string | Uint8Array, options: AtomicOptions = {}): FileDigest {
  const file = options.flush === false ? new AtomicFile(path, options) : openAtomicFile(path, options);
  file.write(content);
  return file.commit();
}

/**
 * Creates a folder and its missing parents, one after the other. `mkdirSync` with `recursive` never returns if the system reports an
 * existing folder as missing, as under /proc.
 */
export function makeFolderSync(folder: string, mode = 0o777): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolderSync(dirname(folder), mode);
  try {
    mkdirSync(folder, mode);
  } catch (thrown) {
    // Another process may have created it meanwhile.
    if (existsSync(folder)) return;
    throw new Fault('input', `The folder ${folder} cannot be created: ${dirname(folder)} is not writable. Choose another location.`, {
      cause: thrown,
    });
  }
}

/** An error message for a failed write. */
export function toDiskFault(thrown: unknown, path: string, needed = 0): Fault {
  if (isFault(thrown)) return thrown;
  const code = (thrown as { code?: string }).code ?? '';
  const cause = { cause: thrown };
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const full = code === 'ENOSPC' ? 'the disk is full' : 'your disk quota is used up';
    return new Fault(
      'store',
      `${path} cannot be written: ${full} (at least ${needed} bytes are needed, ${freeBytes(path)} are free). No partial file was left. Free some space, or choose a file on another disk.`,
      cause,
    );
  }
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'no such file or folder; create the folder first',
    EEXIST: 'part of the path is a file; use another folder',
    ENOTDIR: 'part of the path is a file; use another folder',
    EISDIR: 'it is a folder; name a file in it',
    EACCES: 'permission denied; change the permissions, or use another location',
    EPERM: 'permission denied; change the permissions, or use another location',
    EROFS: 'the disk is read-only; use another location',
    EFBIG: 'the file system does not allow files of this size',
  };
  return new Fault('input', `${path} cannot be written: ${reasons[code] ?? sentenceOf(thrown)}.`, cause);
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** A rename is on disk when its folder is. Some systems cannot flush a folder; there it is as good as it gets. */
function syncFolder(folder: string): void {
  let file: number | undefined;
  try {
    file = openSync(folder, 'r');
    fsyncSync(file);
  } catch {
    // Nothing more can be done here.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Parts whose process has ended. Parts of living processes are still being written. */
function removeDeadParts(path: string): void {
  const [folder, name] = [dirname(path), basename(path)];
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder)) {
    if (!file.startsWith(`${name}.`)) continue;
    const pid = /^(\d+)-\d+\.part$/.exec(file.slice(name.length + 1))?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, file), { force: true });
  }
}

/** Whether a process is running. True for processes of other users. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as { code?: string }).code === 'EPERM';
  }
}

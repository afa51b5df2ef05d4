/**
 * @file MicroPython in WebAssembly with custom imports: no host objects, an in-memory folder as its files, and a clock and random numbers
 * of the run. The package's own loader, which gives Python access to all of Node, is not used.
 */

import { toVirtualPath } from './virtual-path.ts';

/** The part of WebAssembly used here, which Node's types lack. */
declare const WebAssembly: {
  readonly Module: (new (
    bytes: Uint8Array,
  ) => object) & { imports(module: object): readonly { readonly module: string; readonly name: string }[] };
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly __indirect_function_table: { get(at: number): (...inputs: number[]) => number };
  __wasm_call_ctors(): void;
  emscripten_stack_init(): void;
  emscripten_stack_get_current(): number;
  _emscripten_stack_restore(at: number): void;
  setThrew(threw: number, value: number): void;
  malloc(bytes: number): number;
  mp_js_init(stack: number, heap: number): void;
  proxy_c_init(): void;
  mp_js_do_exec(source: number, length: number, out: number): void;
}

/** Ends a run from inside: Python cannot catch it. */
export class PythonEnd extends Error {
  readonly kind: 'threw' | 'output';

  constructor(kind: 'threw' | 'output', text: string) {
    super(text);
    this.kind = kind;
  }
}

/** Python's interface besides the files of its folder: its input, its result, and calls of tools. */
export interface Channels {
  readonly job: string;
  end(text: string): void;
  /** Waits for the answer. */
  call(text: string): string;
}

export interface MicroPythonOptions {
  readonly files: Readonly<Record<string, string>>;
  readonly megabytes: number;
  readonly fileCharacters: number;
  readonly seed: number;
  readonly clock: number;
  readonly channels: Channels;
  print(text: string): void;
}

type OpenFile = { readonly path: string; bytes: Uint8Array; at: number; readonly appends: boolean; readonly writes: boolean };

/** Error numbers, by their names in Python. */
const fault = { none: 2, descriptor: 9, access: 13, many: 24, space: 28, unknown: 95 };
const open = { write: 3, create: 0o100, truncate: 0o1000, append: 0o2000 };
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
const special = { job: '/.ludus/job', end: '/.ludus/end', call: '/.ludus/call' };

export class MicroPython {
  readonly #options: MicroPythonOptions;
  readonly #inside: Exports;
  readonly #files: Map<string, Uint8Array>;
  readonly #written = new Set<string>();
  readonly #open = new Map<number, OpenFile>();
  #dice: number;
  #ticks = 0;

  constructor(bytes: Uint8Array, options: MicroPythonOptions) {
    this.#options = options;
    this.#dice = options.seed >>> 0;
    this.#files = new Map(Object.entries(options.files).map(([path, text]) => [path, encoder.encode(text)]));
    const module = new WebAssembly.Module(bytes);
    this.#inside = new WebAssembly.Instance(module, this.#imports(module)).exports as Exports;
    this.#inside.emscripten_stack_init();
    this.#inside.__wasm_call_ctors();
    this.#inside.mp_js_init(64 * 1024, 2 ** 20);
    this.#inside.proxy_c_init();
  }

  get bytes(): number {
    return this.#inside.memory.buffer.byteLength;
  }

  /** Runs a program. Returns an exception as its type and text, or null. */
  run(source: string): { readonly type: string; readonly text: string } | null {
    const bytes = encoder.encode(source);
    const at = this.#inside.malloc(bytes.length + 1);
    const out = this.#inside.malloc(12);
    this.#memory.set(bytes, at);
    this.#memory[at + bytes.length] = 0;
    this.#inside.mp_js_do_exec(at, bytes.length, out);
    const view = this.#view;
    if (view.getInt32(out, true) !== -1) return null;
    const from = view.getUint32(out + 8, true);
    const [type = '', text = ''] = decoder.decode(this.#memory.slice(from, from + view.getUint32(out + 4, true))).split('\u0004');
    return { type, text };
  }

  /** The written files that are valid text. */
  written(): Readonly<Record<string, string>> {
    const strict = new TextDecoder('utf-8', { fatal: true });
    const out: Record<string, string> = {};
    for (const path of this.#written) {
      try {
        const bytes = this.#files.get(path);
        if (bytes !== undefined) out[path] = strict.decode(bytes);
      } catch {
        // Not valid text: a box stores only text files.
      }
    }
    return out;
  }

  get #memory(): Uint8Array {
    return new Uint8Array(this.#inside.memory.buffer);
  }

  get #view(): DataView {
    return new DataView(this.#inside.memory.buffer);
  }

  /** Every other import would access the host, and ends the run. */
  #imports(module: object): object {
    const ownEntry: Record<string, (...inputs: never[]) => number | undefined> = {
      mp_js_random_u32: () => this.#roll(),
      // Each reading of the clock adds a millisecond, so that sleeping ends.
      mp_js_ticks_ms: () => ++this.#ticks,
      mp_js_time_ms: () => this.#options.clock + this.#ticks++,
      proxy_js_free_obj: () => undefined,
      emscripten_resize_heap: (bytes: number) => this.#grow(bytes >>> 0),
      _emscripten_throw_longjmp: () => {
        throw Number.POSITIVE_INFINITY;
      },
      __syscall_getcwd: (to: number) => {
        this.#memory.set([47, 0], to);
        return 2;
      },
      __syscall_chdir: () => 0,
      __syscall_stat64: (path: number, to: number) => this.#stat(this.#text(path), to),
      __syscall_lstat64: (path: number, to: number) => this.#stat(this.#text(path), to),
      __syscall_newfstatat: (_: number, path: number, to: number) => this.#stat(this.#text(path), to),
      __syscall_openat: (_: number, path: number, flags: number) => this.#openFile(this.#text(path), flags),
      __syscall_mkdirat: (_: number, path: number) => (toVirtualPath(this.#text(path)) === null ? -fault.access : 0),
      __syscall_unlinkat: (_: number, path: number) => this.#remove(this.#text(path)),
      fd_close: (file: number) => this.#close(file),
      fd_sync: () => 0,
      fd_seek: (file: number, by: bigint, whence: number, to: number) => this.#seek(file, Number(by), whence, to),
      fd_read: (file: number, parts: number, count: number, to: number) => this.#read(file, parts, count, to),
      fd_write: (file: number, parts: number, count: number, to: number) => this.#write(file, parts, count, to),
    };
    const invoke = (at: number, ...inputs: number[]) => this.#invoke(at, inputs);
    const refuse = () => {
      throw new PythonEnd('threw', 'The code needs a system function that is not available here.');
    };
    const out: Record<string, Record<string, unknown>> = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      out[from] ??= {};
      const unknown = name.startsWith('__syscall_') ? () => -fault.unknown : refuse;
      out[from][name] = name.startsWith('invoke_') ? invoke : (ownEntry[name] ?? unknown);
    }
    return out;
  }

  /** A call that may raise a Python exception; any other error is rethrown. */
  #invoke(at: number, inputs: number[]): number {
    const stack = this.#inside.emscripten_stack_get_current();
    try {
      return this.#inside.__indirect_function_table.get(at)(...inputs);
    } catch (thrown) {
      this.#inside._emscripten_stack_restore(stack);
      if (thrown !== Number.POSITIVE_INFINITY) throw thrown;
      this.#inside.setThrew(1, 0);
      return 0;
    }
  }

  /** The only way for the memory to grow: beyond the limit it fails. */
  #grow(bytes: number): number {
    if (bytes > this.#options.megabytes * 2 ** 20) return 0;
    this.#inside.memory.grow(Math.ceil((bytes - this.bytes) / 65_536));
    return 1;
  }

  #roll(): number {
    this.#dice = (this.#dice + 0x6d2b79f5) >>> 0;
    let out = Math.imul(this.#dice ^ (this.#dice >>> 15), this.#dice | 1);
    out ^= out + Math.imul(out ^ (out >>> 7), out | 61);
    return (out ^ (out >>> 14)) >>> 0;
  }

  #text(at: number): string {
    const memory = this.#memory;
    const end = memory.indexOf(0, at);
    return decoder.decode(memory.slice(at, end));
  }

  #stat(input: string, to: number): number {
    const path = toVirtualPath(input);
    const bytes = path === null ? undefined : this.#files.get(path);
    const top = /^[./]*$/.test(input) && !input.includes('..');
    const folder = top || (path !== null && [...this.#files.keys()].some((name) => name.startsWith(`${path}/`)));
    if (bytes === undefined && !folder) return -fault.none;
    this.#memory.fill(0, to, to + 96);
    this.#view.setUint32(to + 4, bytes === undefined ? 0o40755 : 0o100644, true);
    this.#view.setUint32(to + 24, bytes?.length ?? 0, true);
    return 0;
  }

  #openFile(input: string, flags: number): number {
    const channel = Object.values(special).includes(input);
    const path = channel ? input : toVirtualPath(input);
    if (path === null) return -fault.access;
    const writes = (flags & open.write) !== 0;
    let bytes = channel ? encoder.encode(input === special.job ? this.#options.channels.job : '') : this.#files.get(path);
    if (bytes === undefined && !(writes && (flags & open.create) !== 0)) return -fault.none;
    if (bytes === undefined || (writes && !channel && (flags & open.truncate) !== 0)) {
      bytes = new Uint8Array();
      if (!this.#keep(path, bytes)) return -fault.space;
    }
    if (this.#open.size >= 64) return -fault.many;
    let file = 3;
    while (this.#open.has(file)) file++;
    this.#open.set(file, { path, bytes, at: 0, writes, appends: (flags & open.append) !== 0 });
    return file;
  }

  #remove(input: string): number {
    const path = toVirtualPath(input);
    if (path === null || !this.#files.delete(path)) return -fault.none;
    this.#written.delete(path);
    return 0;
  }

  /** Whether the file fits into the folder. */
  #keep(path: string, bytes: Uint8Array): boolean {
    let size = path.length + bytes.length;
    for (const [name, content] of this.#files) if (name !== path) size += name.length + content.length;
    if (size > this.#options.fileCharacters) return false;
    this.#files.set(path, bytes);
    this.#written.add(path);
    return true;
  }

  #close(number: number): number {
    const file = this.#open.get(number);
    if (file === undefined) return fault.descriptor;
    this.#open.delete(number);
    if (file.path === special.end && file.writes) this.#options.channels.end(decoder.decode(file.bytes));
    return 0;
  }

  #seek(number: number, by: number, whence: number, to: number): number {
    const file = this.#open.get(number);
    if (file === undefined) return fault.descriptor;
    const at = by + (whence === 0 ? 0 : whence === 1 ? file.at : file.bytes.length);
    // No further than the end: files have no holes.
    file.at = Math.min(Math.max(0, at), file.bytes.length);
    this.#view.setBigInt64(to, BigInt(file.at), true);
    return 0;
  }

  #read(number: number, parts: number, count: number, to: number): number {
    const file = this.#open.get(number);
    if (file === undefined) return fault.descriptor;
    let total = 0;
    for (const [from, length] of this.#parts(parts, count)) {
      const piece = file.bytes.subarray(file.at, file.at + length);
      this.#memory.set(piece, from);
      file.at += piece.length;
      total += piece.length;
    }
    this.#view.setUint32(to, total, true);
    return 0;
  }

  #write(number: number, parts: number, count: number, to: number): number {
    const pieces = this.#parts(parts, count).map(([from, length]) => this.#memory.slice(from, from + length));
    const total = pieces.reduce((sum, { length }) => sum + length, 0);
    const file = this.#open.get(number);
    if (number === 1 || number === 2) for (const piece of pieces) this.#options.print(decoder.decode(piece));
    else if (file === undefined || !file.writes) return fault.descriptor;
    else if (!pieces.every((piece) => this.#put(file, piece))) return fault.space;
    this.#view.setUint32(to, total, true);
    return 0;
  }

  #put(file: OpenFile, piece: Uint8Array): boolean {
    const channel = Object.values(special).includes(file.path);
    const now = channel ? file.bytes : (this.#files.get(file.path) ?? file.bytes);
    const at = file.appends ? now.length : Math.min(file.at, now.length);
    const bytes = new Uint8Array(Math.max(now.length, at + piece.length));
    bytes.set(now);
    bytes.set(piece, at);
    if (channel ? bytes.length > 8 * this.#options.fileCharacters + 2 ** 20 : !this.#keep(file.path, bytes)) return false;
    file.bytes = bytes;
    file.at = at + piece.length;
    // A newline completes a call; its answer is read from the same file.
    if (file.path === special.call && bytes.at(-1) === 10) {
      file.bytes = encoder.encode(this.#options.channels.call(decoder.decode(bytes)));
      file.at = 0;
    }
    return true;
  }

  #parts(at: number, count: number): readonly (readonly [number, number])[] {
    const view = this.#view;
    return Array.from({ length: count }, (_, i) => [view.getUint32(at + 8 * i, true), view.getUint32(at + 8 * i + 4, true)] as const);
  }
}

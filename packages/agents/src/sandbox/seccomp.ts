/**
 * @file A system call filter for resources that no limit covers: System V memory, keys, and calls that expose more of the kernel.
 *
 * Everything else stays allowed, because namespaces and limits cover the rest. The program is classic BPF, eight bytes per instruction.
 */

import { endianness } from 'node:os';

/** By architecture: its mark in the kernel, and the numbers of shmget, semget, msgget, ptrace, mount, add_key, request_key, keyctl, unshare, perf_event_open, setns, bpf, userfaultfd, io_uring_setup, memfd_secret. */
const refused: Readonly<Record<string, readonly [mark: number, numbers: readonly number[]]>> = {
  x64: [0xc000003e, [29, 64, 68, 101, 165, 248, 249, 250, 272, 298, 308, 321, 323, 425, 447]],
  arm64: [0xc00000b7, [194, 190, 186, 117, 40, 217, 218, 219, 97, 241, 268, 280, 282, 425, 447]],
};

/** Numbers from here on are calls of another ABI of the same machine. */
const foreign = 0x40000000;

/** The filter for this machine, or null if its system calls are unknown. */
export function seccompFilter(): Buffer | null {
  const refusedCalls = refused[process.arch];
  if (refusedCalls === undefined || endianness() !== 'LE') return null;
  const [mark, numbers] = refusedCalls;
  const toRefusal = (from: number) => numbers.length + 1 - from;
  const program: readonly (readonly [code: number, ifTrue: number, ifFalse: number, value: number])[] = [
    [0x20, 0, 0, 4],
    [0x15, 1, 0, mark],
    [0x06, 0, 0, 0x80000000],
    [0x20, 0, 0, 0],
    [0x35, toRefusal(0), 0, foreign],
    ...numbers.map((number, i) => [0x15, toRefusal(i + 1), 0, number] as const),
    [0x06, 0, 0, 0x7fff0000],
    // "Operation not permitted".
    [0x06, 0, 0, 0x00050001],
  ];
  const bytes = Buffer.alloc(8 * program.length);
  program.forEach(([code, ifTrue, ifFalse, value], i) => {
    bytes.writeUInt16LE(code, 8 * i);
    bytes.writeUInt8(ifTrue, 8 * i + 2);
    bytes.writeUInt8(ifFalse, 8 * i + 3);
    bytes.writeUInt32LE(value, 8 * i + 4);
  });
  return bytes;
}

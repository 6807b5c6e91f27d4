/**
 * When this file is imported, also by `--import`, the process goes on as on a machine whose kernel has no IPv6: it cannot even create such a
 * socket. No setting of a network namespace does this, so a filter of system calls does (Linux on x64 and arm64).
 */
import { dlopen, getRawPointer } from 'node:ffi';

const socketCall = process.arch === 'arm64' ? 198 : 41;
const inet6 = 10;
const addressFamilyNotSupported = 97;

/** Classic BPF: operation, instructions to skip if true and if false, operand (linux/filter.h, linux/seccomp.h). */
const program: readonly (readonly [operation: number, ifTrue: number, ifFalse: number, operand: number])[] = [
  // The number of the system call, and its first argument.
  [0x20, 0, 0, 0],
  [0x15, 0, 3, socketCall],
  [0x20, 0, 0, 16],
  [0x15, 0, 1, inet6],
  [0x06, 0, 0, 0x5_0000 + addressFamilyNotSupported],
  [0x06, 0, 0, 0x7fff_0000],
];
const filter = Buffer.alloc(8 * program.length);
for (const [at, [operation, ifTrue, ifFalse, operand]] of program.entries()) {
  filter.writeUInt16LE(operation, 8 * at);
  filter.writeUInt8(ifTrue, 8 * at + 2);
  filter.writeUInt8(ifFalse, 8 * at + 3);
  filter.writeUInt32LE(operand, 8 * at + 4);
}
const description = Buffer.alloc(16);
description.writeUInt16LE(program.length, 0);
description.writeBigUInt64LE(getRawPointer(filter), 8);

const { functions } = dlopen(null, { prctl: { arguments: ['i32', 'u64', 'u64', 'u64', 'u64'], return: 'i32' } });
const noNewPrivileges = functions.prctl(38, 1n, 0n, 0n, 0n);
const filtered = functions.prctl(22, 2n, getRawPointer(description), 0n, 0n);
if (noNewPrivileges !== 0 || filtered !== 0) throw new Error('the system permits no filter of system calls');

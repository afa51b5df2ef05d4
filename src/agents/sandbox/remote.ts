/** @file x */ import type { Backend, BackendSettings } from './backends.ts'; export function createRemote(_: BackendSettings): Backend { throw new Error('x'); }

/** @file x */ import type { Backend, BackendSettings } from './backends.ts'; export function createContainer(_: BackendSettings): Backend { throw new Error('x'); }

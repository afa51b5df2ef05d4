/** @file The manifest of an export: its files with lengths and hashes, for checking a copy. */

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { type FileDigest, writeFileAtomicSync } from './atomic-file.ts';

export interface ManifestEntry extends FileDigest {
  /** Relative to the manifest, with slashes. */
  readonly file: string;
  /** Rows or lines, where the file has such. */
  readonly rows?: number;
}

export interface Manifest {
  readonly kind: 'ludus-manifest';
  readonly version: 1;
  readonly format: string;
  readonly files: readonly ManifestEntry[];
  readonly counts: Readonly<Record<string, number>>;
}

/** NAME.manifest.json next to a file, manifest.json in a folder. */
export function manifestPath(out: string, isFolder: boolean): string {
  return isFolder ? join(out, 'manifest.json') : `${out}.manifest.json`;
}

/** Written last: where a manifest names a file with its hash, that file was whole. */
export function writeManifest(path: string, manifest: Omit<Manifest, 'kind' | 'version'>): void {
  writeFileAtomicSync(path, `${JSON.stringify({ kind: 'ludus-manifest', version: 1, ...manifest }, null, 2)}\n`);
}

/** Checks a file against its manifest before reading, if there is one; returns whether there was. */
export async function checkManifest(path: string): Promise<boolean> {
  const beside = manifestPath(path, false);
  if (!existsSync(beside)) return false;
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(readFileSync(beside, 'utf8')) as Partial<Manifest>;
  } catch {
    throw new Fault('input', `${beside} is not a valid manifest. Delete it to read ${basename(path)} without verification.`);
  }
  const entry = Array.isArray(manifest.files) ? manifest.files.find((otherFile) => otherFile?.file === basename(path)) : undefined;
  if (manifest.kind !== 'ludus-manifest' || entry === undefined) return false;
  const digest = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(join(dirname(path), basename(path)))) {
    digest.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  const sha256 = digest.digest('hex');
  if (sha256 !== entry.sha256)
    throw new Fault(
      'input',
      `${path} does not match ${basename(beside)}: ${entry.bytes} bytes with SHA-256 ${String(entry.sha256).slice(0, 12)}… expected, but got ${bytes} bytes with ${sha256.slice(0, 12)}…. Copy it again, or delete the manifest.`,
    );
  return true;
}

/** @file Which runtimes are installed. */

import { findEncoder } from '../encoders/installed.ts';
import type { EnvVars } from '../models/local.ts';
import { optionalPackagePath } from './optional-package.ts';
import { type NativeRuntime, runtimes } from './runtimes.ts';

export interface RuntimeState extends Pick<NativeRuntime, 'package' | 'version' | 'purpose' | 'size'> {
  readonly name: string;
  readonly installed: boolean;
}

/** Every runtime, and whether it is installed: a code package can be loaded, a weights package has its files. */
export function runtimeStates(env: EnvVars = process.env): readonly RuntimeState[] {
  return Object.entries(runtimes).map(([name, { package: packageName, version, purpose, size, files }]) => ({
    ...{ name, package: packageName, version, purpose, size },
    installed: files === undefined ? optionalPackagePath(packageName, env) !== null : findEncoder(env) !== null,
  }));
}

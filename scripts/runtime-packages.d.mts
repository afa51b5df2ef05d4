export interface RuntimePackage {
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly integrity: string;
  readonly resolved: string;
}
export const root: string;
export function runtimePackages(): readonly RuntimePackage[];

/** @file Every page, one line each, loaded when it is opened. What has a `nav` stands in the menu. */

import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** What a page is given: the parts of its address. */
export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

export interface Page {
  readonly path: string;
  readonly title: string;
  readonly nav?: string;
  readonly page: LazyExoticComponent<ComponentType<PageProps>>;
}

/** For `pages` below: the component of that name in a file. */
const from = <M extends Readonly<Record<string, ComponentType<PageProps>>>>(load: () => Promise<M>, name: keyof M & string) =>
  lazy(async () => ({ default: (await load())[name] as ComponentType<PageProps> }));

export const pages: readonly Page[] = [{ path: '/', title: 'Home', nav: 'Home', page: from(() => import('./pages/home.tsx'), 'HomePage') }];

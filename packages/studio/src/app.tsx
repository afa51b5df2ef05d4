/** @file The frame around every page: menu, theme, the page itself, and what is shown when it cannot be. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { Component, type ReactNode, Suspense, useLayoutEffect, useRef, useState } from 'react';
import { NotLoaded, pages } from './pages.ts';
import { Failed, Loading, Unloaded } from './parts/states.tsx';
import { match, useRoute } from './router.ts';
import { applyTheme, type Theme, themeNow } from './theme.ts';

export function App() {
  const { path, query, hash } = useRoute();
  const main = useRef<HTMLElement>(null);
  const found = pages.map((page) => ({ page, params: match(page.path, path) })).find(({ params }) => params !== null);
  const title = found?.page.title ?? 'Not found';
  // Before effects of the page itself, which may know a better name for the tab.
  useLayoutEffect(() => {
    document.title = `${title} – Ludus`;
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [title]);
  const Found = found?.page.page;
  return (
    <>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <Menu path={path} />
      <main id="main" ref={main} tabIndex={-1} data-shown={hash}>
        <Boundary key={path.split('/', 3).join('/')}>
          <Suspense fallback={<Loading what={title} />}>
            {Found === undefined ? (
              <Failed title="There is nothing here" error={`No page has the address ${path.slice(0, 100)}.`} />
            ) : (
              <Found params={found?.params ?? {}} query={query} />
            )}
          </Suspense>
        </Boundary>
      </main>
    </>
  );
}

function Menu({ path }: { readonly path: string }) {
  const [theme, setTheme] = useState<Theme>(themeNow());
  const choose = (wanted: Theme) => {
    applyTheme(wanted);
    setTheme(wanted);
  };
  const nav = useRef<HTMLElement>(null);
  // On a phone the menu scrolls: the page that is shown is not left outside of it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the address.
  useLayoutEffect(() => {
    const [list, link] = [nav.current, nav.current?.querySelector<HTMLElement>('[aria-current=page]')];
    if (list !== null && link) list.scrollLeft = link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
  }, [path]);
  const here = (page: string) => (page === '/' ? path === '/' : path === page || path.startsWith(`${page}/`));
  return (
    <header className="menu">
      <a className="brand" href="#/">
        <img src="/icon.svg" alt="" width="24" height="24" /> Ludus
      </a>
      <nav ref={nav} aria-label="Pages">
        <ul>
          {pages.flatMap(({ path: pattern, nav }) => {
            if (nav === undefined) return [];
            // What a page may be given in its address is no part of the way to it.
            const to = pattern.replace(linear(/\/:.*$/), '');
            return (
              <li key={to}>
                <a href={`#${to}`} aria-current={here(to) ? 'page' : undefined}>
                  {nav}
                </a>
              </li>
            );
          })}
        </ul>
      </nav>
      <label className="theme">
        <span className="hidden">Colours</span>
        <select value={theme} onChange={(event) => choose(event.target.value as Theme)}>
          <option value="system">Auto</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
    </header>
  );
}

/** A page that breaks does not take the menu with it. */
class Boundary extends Component<{ readonly children: ReactNode }, { readonly error: string | null; readonly unloaded: boolean }> {
  override state = { error: null, unloaded: false };

  static getDerivedStateFromError(thrown: unknown): { error: string; unloaded: boolean } {
    return { error: thrown instanceof Error ? thrown.message : String(thrown), unloaded: thrown instanceof NotLoaded };
  }

  override render(): ReactNode {
    const { error, unloaded } = this.state;
    if (error === null) return this.props.children;
    if (unloaded) return <Unloaded />;
    return <Failed title="This page broke" error={error} retry={() => location.reload()} />;
  }
}

/** @file A browser and a studio for tests of the page: the real server in its own process, and the Chromium of this machine. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { findChromium } from '../scripts/browser.ts';
import { contrastOf } from './contrast.ts';

const root = join(import.meta.dirname, '..');
/** Where a Chromium is, or null. */
const chromiumPath: string | null = findChromium();

/** Why a test of the page is skipped, or null. */
export const noBrowser: string | null =
  chromiumPath !== null
    ? existsSync(join(root, 'packages', 'servers', 'page', 'index.html'))
      ? null
      : 'the page is not built; npm run build makes it'
    : 'there is no Chromium here; set CHROMIUM_PATH';

const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

/** Longer than anything takes that happens at all, and shorter than a test may take: only a page that hangs meets it. `PATIENCE=20000` says sooner what a new case waits for. */
const patience = Number(process.env.PATIENCE ?? 240_000);

/** How many times slower pages run than they could: `SLOW_PAGES=20` finds cases that act before the page has followed. */
const slower = Number(process.env.SLOW_PAGES ?? 1);

async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
}

export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: chromiumPath as string, args: flags.split(' '), timeout: patience });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (...settings) => {
    const context = await newContext(...settings);
    context.setDefaultTimeout(patience);
    if (slower > 1) context.on('page', (page) => void slowDown(context, page));
    return context;
  };
  return browser;
}

/** Waits until the page has been laid out again. */
export async function nextFrame(page: Page): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
}

export interface RunningStudio {
  readonly url: string;
  readonly token: string;
  readonly cwd: string;
  /** As a crash would: no goodbye, nothing written any more. */
  kill(): Promise<void>;
  /** Says why, if it ends without being killed here. */
  readonly died: Promise<string>;
}

/** A folder for a studio, and an end to it. */
export function studioFolder(): string {
  return mkdtempSync(join(tmpdir(), 'ludus-page-'));
}

export function removeFolder(cwd: string): void {
  rmSync(cwd, { recursive: true, force: true });
}

/** Starts `ludus studio` in a folder; port 0 takes any that is free. */
export async function startStudio(cwd: string, port = 0): Promise<RunningStudio> {
  // The sources, not what was built of them: a test tests what stands here.
  const args = ['studio', '--no-open', '--json', '--port', String(port)];
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, 'fixtures', 'ludus.ts'), ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  let killed = false;
  const left = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const died = new Promise<string>((resolve) =>
    child.once('exit', (code, signal) => killed || resolve(`ludus studio has ended by itself: ${code ?? signal}.`)),
  );
  const printed = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text);
    });
    child.once('exit', (code) => reject(new Error(`ludus studio left with ${code}`)));
  });
  const address = new URL((JSON.parse(printed) as { url: string }).url);
  return {
    url: address.origin,
    token: address.searchParams.get('token') as string,
    cwd,
    died,
    async kill() {
      killed = true;
      child.kill('SIGKILL');
      await left;
    },
  };
}

/** Where the pages of a server are, by its port: at its host name, where the sessions of browsers are. */
const origins = new Map<string, string>();

export function pageOrigin(url: string): string {
  return origins.get(new URL(url).port) ?? url;
}

/** A page that has come in by the printed address; whatever it logs as an error is kept. */
export async function enter(context: BrowserContext, { url, token }: RunningStudio): Promise<Page & { readonly problems: string[] }> {
  const page = Object.assign(await context.newPage(), { problems: [] as string[] });
  page.on('pageerror', (error) => page.problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/ERR_|Failed to load resource/.test(message.text())) page.problems.push(message.text());
  });
  await page.goto(`${url}/?token=${token}`);
  origins.set(new URL(url).port, new URL(page.url()).origin);
  return page;
}

/** The answer that a request of a page would get. The test asks by number: a browser resolves every name below localhost, most machines do not. */
export function fetchRouted(route: Route): ReturnType<Route['fetch']> {
  const request = route.request();
  const url = new URL(request.url());
  const { host } = url;
  url.hostname = '127.0.0.1';
  return route.fetch({ url: url.href, headers: { ...request.headers(), host } });
}

/** Calls a studio as a program does. */
export async function callStudio<T>({ url, token }: RunningStudio, path: string, body?: unknown): Promise<T> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
  return (await response.json()) as T;
}

/** What `visit` reads in a page. */
interface PageGlobals {
  readonly document: { getElementById(id: string): { readonly dataset: { readonly shown?: string } } | null };
  readonly location: { readonly hash: string };
}

/** Opens a place of the page by the part of its address after the #, and waits until the page shows it: what stood there before has gone. */
export async function visit(page: Page, { url }: Pick<RunningStudio, 'url'>, place: string): Promise<void> {
  await page.goto(`${pageOrigin(url)}/#${place}`);
  // A function, not a text: after the first look the policy of the page would forbid to evaluate a text.
  const hasShown = () => {
    const { document, location } = globalThis as unknown as PageGlobals;
    return document.getElementById('main')?.dataset.shown === location.hash;
  };
  await page.waitForFunction(hasShown, undefined, { polling: 20 });
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What an accessibility engine finds on a page, and texts that are too pale in light and in dark, as sentences; empty is good. Between the two only colors change, so that all but contrast is looked at once. */
export async function accessibility(page: Page): Promise<readonly string[]> {
  await page.evaluate(`globalThis.axe === undefined && (() => { ${axe}\n })()`);
  const matches = (await page.evaluate(
    `axe.run(document, { preload: { assets: ['media'] }, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'], rules: { 'color-contrast': { enabled: false } }, resultTypes: ['violations'] }).then((r) => r.violations.map((v) => v.id + ': ' + v.help + ' – ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? '')).join(' | ')))`,
  )) as readonly string[];
  const pale: string[] = [];
  // What is under the pointer may look another way, and where the pointer was left is chance.
  await page.mouse.move(0, 0);
  for (const colours of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: colours });
    const { texts, poor } = await contrastOf(page);
    if (texts === 0) pale.push(`in ${colours}, no text was looked at`);
    pale.push(...poor.map((item) => `in ${colours}, ${item}`));
  }
  return [...matches, ...pale];
}

/** How much wider a page is than its window at this width; 0 or less is good. */
export async function widerThan(page: Page, width: number): Promise<number> {
  const size = page.viewportSize();
  await page.setViewportSize({ width, height: 844 });
  await nextFrame(page);
  const wider = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
  if (size !== null) await page.setViewportSize(size);
  return wider;
}

export type Colours = 'light' | 'dark';
export const bothColours: readonly Colours[] = ['light', 'dark'];

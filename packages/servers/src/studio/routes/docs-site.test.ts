/** @file The documentation site under /docs: its pages, its policy for scripts, and nothing outside its folder. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, describe, expect, it } from 'vitest';
import { addSecurityHeaders, docsRoutes } from './page.ts';

const base = mkdtempSync(join(tmpdir(), 'ludus-docs-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const site = join(base, 'site');
mkdirSync(join(site, 'how-to'), { recursive: true });
writeFileSync(join(base, 'secret.html'), 'secret');
writeFileSync(join(site, 'index.html'), '<script>start()</script><script src="/docs/assets/app.js"></script>Home');
writeFileSync(join(site, 'how-to', 'index.html'), 'Guides');
writeFileSync(join(site, 'how-to', 'install.html'), 'Install');
writeFileSync(join(site, '@localSearchIndexroot.x1.js'), 'index');

function appFor(folder: string | null): Hono {
  const app = new Hono();
  app.use(addSecurityHeaders);
  app.onError((error, call) => call.text(error.message, 404));
  app.route('/', docsRoutes(folder));
  return app;
}

describe('the documentation site in the studio', () => {
  it.each([
    ['/docs/', 'Home'],
    ['/docs/how-to/', 'Guides'],
    ['/docs/how-to/install', 'Install'],
    ['/docs/@localSearchIndexroot.x1.js', 'index'],
  ])('serves %s', async (path, text) => {
    const response = await appFor(site).request(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(text);
  });

  it('allows the inline scripts of a page by hash and no others', async () => {
    const policy = (await appFor(site).request('/docs/')).headers.get('content-security-policy') ?? '';
    expect(policy.match(/'sha256-[^']+'/g)).toHaveLength(1);
    expect(policy).not.toMatch(/script-src[^;]*unsafe-inline/);
  });

  it.each(['/docs/%2e%2e/secret.html', '/docs/..%2fsecret', '/docs/how-to/..%2f..%2fsecret', '/docs/none'])('rejects %s', async (path) => {
    const response = await appFor(site).request(path);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toBe('secret');
  });

  it('are the pages in the repository if the site was not built', async () => {
    const response = await appFor(null).request('/docs/');
    expect([response.status, response.headers.get('location')]).toEqual([302, expect.stringMatching(/^https:\/\/github\.com\/.*\/docs$/)]);
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadContentFolder } from '@ludus-agents/agents/internal/workspace/content-folder';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Serving, serve } from '../app.ts';
import { siteRoutes } from './routes.ts';
import { readTaskPages } from './task-pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'ludus-pages-'));
const page = (script: string, source = '../core/core.js') =>
  `<html><head><script src="${source}"></script><script>${script}</script></head></html>`;
mkdirSync(join(folder, 'core'));
mkdirSync(join(folder, 'tasks'));
writeFileSync(join(folder, 'core', 'core.js'), 'var core = {};');
writeFileSync(join(folder, 'tasks', 'fits.html'), page('function genProblem() { core.endEpisode(1); }'));
writeFileSync(join(folder, 'tasks', 'plain.html'), '<p>hello</p>');
writeFileSync(join(folder, 'tasks', 'endless.html'), page('function genProblem() {}'));
writeFileSync(join(folder, 'tasks', 'remote.html'), page('genProblem(); core.endEpisode(1)', 'https://example.com/core.js'));
writeFileSync(join(folder, 'tasks', 'alone.html'), page('genProblem(); core.endEpisode(1)', 'core.js'));
writeFileSync(join(folder, 'tasks', 'up.html'), page('genProblem(); core.endEpisode(1)', '../../../../../etc/passwd'));
writeFileSync(join(folder, 'secret.txt'), 'nobody reads this');

let serving: Serving;
const { door, open } = siteRoutes({ pages: readTaskPages(folder), most: 40 });
const authorization = 'Bearer right-token';
beforeAll(async () => {
  serving = await serve({ routes: [door], token: 'right-token' });
});
afterAll(async () => {
  await serving.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(serving.url + path, { headers, redirect: 'manual' });
const send = (path: string, body: string | URLSearchParams, headers: Record<string, string> = {}) =>
  fetch(serving.url + path, { method: 'POST', body, headers, redirect: 'manual' });

/** A session and the cookie of the browser that entered it. */
async function entered(wanted: JsonObject): Promise<{ readonly id: string; readonly cookie: string; readonly enter: string }> {
  const result = (await (await send('/sessions', JSON.stringify(wanted), { authorization })).json()) as { id: string; enter: string };
  const answer = await fetch(result.enter, { redirect: 'manual' });
  expect(answer.status).toBe(303);
  return { ...result, cookie: answer.headers.get('set-cookie')!.split(';')[0]! };
}

describe('browser sessions for tasks', () => {
  it('require a token to open, and admit one browser once', async () => {
    expect((await send('/sessions', '{}')).status).toBe(401);
    expect((await get('/pages')).status).toBe(401);
    const { id, cookie, enter } = await entered({ task: { template: 'shop-cart', number: 2 } });
    expect((await fetch(enter, { redirect: 'manual' })).status).toBe(403);
    expect((await get(`/sessions/${id}`)).status).toBe(401);
    expect((await get('/shop')).status).toBe(403);
    expect((await get('/shop', { cookie: cookie.slice(0, -1) })).status).toBe(403);
    expect((await get('/shop', { cookie })).status).toBe(200);
    expect((await get('/sessions', { cookie })).status).toBe(401);
  });

  it('are visible to their browser alone, with headers that block scripts', async () => {
    const { cookie } = await entered({ task: { template: 'forum-vote', number: 2 } });
    const answer = await get('/forum', { cookie });
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect((await get('/nowhere', { cookie })).status).toBe(404);
  });

  it('change only through forms with their token', async () => {
    const { id, cookie } = await entered({ task: { template: 'forum-vote', number: 2, possible: 'possible' } });
    const token = /name="token" value="([^"]+)"/.exec(await (await get('/forum/thread/1', { cookie })).text())![1]!;
    const posts = async () => (await (await get(`/sessions/${id}`, { authorization })).json()) as { posts: string[]; outcome: unknown };
    await send('/forum/vote/1', new URLSearchParams({ token: 'x' }), { cookie });
    expect(await (await get('/forum/thread/1', { cookie })).text()).toContain('Vote up');
    expect((await send('/forum/vote/1', new URLSearchParams({ token }), { cookie, origin: 'http://evil.example' })).status).toBe(403);
    const answer = await send('/forum/vote/1', new URLSearchParams({ token }), { cookie });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/forum/thread/1?note=1']);
    expect(await (await get('/forum/thread/1', { cookie })).text()).toContain('You have voted');
    expect((await posts()).posts).toHaveLength(2);
  });

  it('end once, by a form or by a program, and cannot change afterwards', async () => {
    const { id, cookie } = await entered({ task: { template: 'shop-stock', number: 1 } });
    expect((await send('/task', new URLSearchParams({ impossible: 'no idea' }), { cookie })).status).toBe(400);
    await send('/task', new URLSearchParams({ answer: 'I do not know' }), { cookie });
    expect(await (await get('/task', { cookie })).text()).toContain('not passed');
    const again = await send(`/sessions/${id}/end`, JSON.stringify({ done: true }), { authorization });
    expect(await again.json()).toMatchObject({ reward: 0, ended: 'answer' });
    expect((await send('/shop/account', new URLSearchParams({ street: 'a', city: 'b' }), { cookie })).headers.get('location')).toBe(
      '/task',
    );
  });

  it('are rejected with an explanation if the task is not one for a browser', async () => {
    for (const wanted of [7, { task: { form: 'chat' } }, { task: { template: 'nothing' } }, { seed: -1 }, { page: 'tasks/plain.html' }]) {
      const answer = await send('/sessions', JSON.stringify(wanted), { authorization });
      expect([wanted, answer.status]).toEqual([wanted, 400]);
      expect(((await answer.json()) as { error: string }).error.length).toBeGreaterThan(20);
    }
  });

  it("serve only pages of the user's folder, with any path encoding", async () => {
    const { cookie } = await entered({ page: 'tasks/fits.html' });
    expect((await get('/pages/tasks/fits.html', { cookie })).status).toBe(200);
    for (const path of ['%zz', '%E0%A4%A', 'a%00.json', '..%2f..%2fpackage.json', '%252e%252e%252fpackage.json'])
      expect((await get(`/pages/${path}`, { cookie })).status).toBe(403);
  });

  it('are limited in number', () => {
    expect(() => {
      for (let i = 0; i < 50; i++) open({});
    }).toThrow(/at capacity: 40\/40/);
  });
});

describe('custom pages', () => {
  it('are usable if they create a task and end it with local scripts; others are listed with reasons', () => {
    const { fit, unfit } = readTaskPages(folder);
    expect(fit).toEqual([{ path: 'tasks/fits.html' }]);
    expect(Object.fromEntries(unfit.map(({ path, why }) => [path, why]))).toEqual({
      'tasks/plain.html': 'it has no genProblem, so it does not create a task',
      'tasks/endless.html': 'it never calls core.endEpisode, so it has no outcome',
      'tasks/remote.html': 'it loads https://example.com/core.js from another host; put the file next to it',
      'tasks/alone.html': 'it loads core.js, which is not in the folder',
      'tasks/up.html': 'it loads ../../../../../etc/passwd, which is not in the folder',
    });
  });
});

describe('a content folder', () => {
  it('is played in a browser and graded by its submitted forms', async () => {
    const cwd = join(import.meta.dirname, '../../../../examples/worlds');
    const world = await loadContentFolder('./museum', { cwd, trust: Trust.commandLine });
    const server = await serve({ routes: [siteRoutes({ world }).door], token: 'right-token' });
    try {
      const opened = await fetch(`${server.url}/sessions`, {
        method: 'POST',
        headers: { authorization },
        body: '{"task":{"case":"favorite"}}',
      });
      const { id, enter, start } = (await opened.json()) as Readonly<Record<'id' | 'enter' | 'start', string>>;
      const cookie = (await fetch(enter, { redirect: 'manual' })).headers.get('set-cookie')?.split(';')[0] ?? '';
      const page = async (path: string) => (await fetch(server.url + path, { headers: { cookie } })).text();
      expect(await page(start)).toContain('Museum of Clocks');
      const collection = await page('/pages/collection.html');
      const [, action = '', field = ''] =
        /action="([^"]*)"[^>]*><input type="hidden" name="(\w+)" value="favorite-water"/.exec(collection) ?? [];
      expect([action, field]).not.toContain('');
      const body = new URLSearchParams({ [field]: 'favorite-water' });
      expect((await fetch(server.url + action, { method: 'POST', headers: { cookie }, body, redirect: 'manual' })).status).toBe(303);
      const ended = await fetch(`${server.url}/sessions/${id}/end`, { method: 'POST', headers: { authorization }, body: '{"done":true}' });
      expect(await ended.json()).toMatchObject({ reward: 1 });
    } finally {
      await server.close();
    }
  });
});

/** @file Sessions of the studio's page: codes that are used once, secrets that are replaced, and an end when the server stops. */

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BrowserSessions } from './browser-sessions.ts';

const folder = mkdtempSync(join(tmpdir(), 'ludus-sessions-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a session of the page', () => {
  it('is opened by a code that is good once and for 30 seconds', () => {
    let now = 0;
    const sessions = new BrowserSessions({ now: () => now });
    const code = sessions.issueCode();
    const secret = sessions.redeem(code, sessions.host);
    expect(sessions.accepts(secret ?? '', sessions.host)).toBe(true);
    expect(sessions.redeem(code, sessions.host)).toBeNull();
    const late = sessions.issueCode();
    now = 30_001;
    expect(sessions.redeem(late, sessions.host)).toBeNull();
    expect(sessions.redeem('guessed', sessions.host)).toBeNull();
  });

  it('is valid at one host name, which no two servers share', () => {
    const [browserSessions, other] = [new BrowserSessions(), new BrowserSessions()];
    const secret = browserSessions.open(browserSessions.host);
    expect(browserSessions.host).not.toBe(other.host);
    expect([
      browserSessions.accepts(secret, 'localhost'),
      browserSessions.accepts(secret, other.host),
      other.accepts(secret, browserSessions.host),
    ]).toEqual([false, false, false]);
  });

  it('gets a new secret every hour, and the old one ends a minute later', () => {
    let now = 0;
    const sessions = new BrowserSessions({ now: () => now });
    const first = sessions.open(sessions.host);
    now = 3_599_999;
    expect(sessions.rotate(first, sessions.host)).toBeNull();
    now = 3_600_000;
    const second = sessions.rotate(first, sessions.host) ?? '';
    expect(second).not.toBe(first);
    // Requests that were under way still have the old one; it is replaced once.
    expect([sessions.accepts(first, sessions.host), sessions.rotate(first, sessions.host)]).toEqual([true, null]);
    now += 60_000;
    expect([sessions.accepts(first, sessions.host), sessions.accepts(second, sessions.host)]).toEqual([false, true]);
    now += 7 * 24 * 3_600_000;
    expect(sessions.accepts(second, sessions.host)).toBe(false);
  });

  it('survives a crash by a private file without secrets, and ends when the server stops', () => {
    const file = join(folder, 'home', 'sessions.json');
    const before = new BrowserSessions({ file });
    const secret = before.open(before.host);
    expect(readFileSync(file, 'utf8')).not.toContain(secret);
    expect(statSync(file).mode & 0o077).toBe(0);
    const after = new BrowserSessions({ file });
    expect([after.host, after.accepts(secret, after.host)]).toEqual([before.host, true]);
    after.close();
    expect([after.accepts(secret, after.host), existsSync(file)]).toEqual([false, false]);
    expect(new BrowserSessions({ file }).accepts(secret, before.host)).toBe(false);
  });
});

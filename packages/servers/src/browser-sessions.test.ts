/** @file Sessions of the studio's page: codes that are used once, secrets that are replaced, and an end when the server stops. */

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { owner } from './access.ts';
import { BrowserSessions } from './browser-sessions.ts';

const folder = mkdtempSync(join(tmpdir(), 'ludus-sessions-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a browser session', () => {
  it('is opened by a code that works once and for 30 seconds', () => {
    let now = 0;
    const sessions = new BrowserSessions({ now: () => now });
    const code = sessions.issueCode();
    expect(sessions.isOpenCode(code)).toBe(true);
    const secret = sessions.redeem(code, sessions.host);
    expect(sessions.callerOf(secret ?? '', sessions.host)).toBe(owner);
    expect(sessions.redeem(code, sessions.host)).toBeNull();
    const late = sessions.issueCode();
    now = 30_001;
    expect([code, late, 'guessed'].some((text) => sessions.isOpenCode(text))).toBe(false);
    expect(sessions.redeem(late, sessions.host)).toBeNull();
    expect(sessions.redeem('guessed', sessions.host)).toBeNull();
  });

  it('is valid at a host name unique to the server', () => {
    const [browserSessions, other] = [new BrowserSessions(), new BrowserSessions()];
    const secret = browserSessions.open(browserSessions.host);
    expect(browserSessions.host).not.toBe(other.host);
    expect([
      browserSessions.callerOf(secret, 'localhost'),
      browserSessions.callerOf(secret, other.host),
      other.callerOf(secret, browserSessions.host),
    ]).toEqual([null, null, null]);
  });

  it('gets a new secret every hour, and the old one expires a minute later', () => {
    let now = 0;
    const sessions = new BrowserSessions({ now: () => now });
    const first = sessions.open(sessions.host);
    now = 3_599_999;
    expect(sessions.rotate(first, sessions.host)).toBeNull();
    now = 3_600_000;
    const second = sessions.rotate(first, sessions.host) ?? '';
    expect(second).not.toBe(first);
    // Requests that were under way still have the old one; it is replaced once.
    expect([sessions.callerOf(first, sessions.host), sessions.rotate(first, sessions.host)]).toEqual([owner, null]);
    now += 60_000;
    expect([sessions.callerOf(first, sessions.host), sessions.callerOf(second, sessions.host)]).toEqual([null, owner]);
    now += 7 * 24 * 3_600_000;
    expect(sessions.callerOf(second, sessions.host)).toBeNull();
  });

  it('survives a crash in a private file without secrets, and ends when the server stops', () => {
    const file = join(folder, 'home', 'sessions.json');
    const before = new BrowserSessions({ file });
    const secret = before.open(before.host);
    expect(readFileSync(file, 'utf8')).not.toContain(secret);
    expect(statSync(file).mode & 0o077).toBe(0);
    const after = new BrowserSessions({ file });
    expect([after.host, after.callerOf(secret, after.host)]).toEqual([before.host, owner]);
    after.close();
    expect([after.callerOf(secret, after.host), existsSync(file)]).toEqual([null, false]);
    expect(new BrowserSessions({ file }).callerOf(secret, before.host)).toBeNull();
  });

  it('has the rights of its token, across new secrets and crashes, and ends with the token', () => {
    const file = join(folder, 'home', 'guests.json');
    const reader = { id: 'a1', scopes: ['read'] } as const;
    let [now, isRevoked] = [0, false];
    const options = { file, now: () => now, holderOf: (token: string) => (token === 'a1' && !isRevoked ? reader : null) };
    const sessions = new BrowserSessions(options);
    const first = sessions.redeem(sessions.issueCode('a1'), sessions.host) ?? '';
    expect(sessions.callerOf(first, sessions.host)).toBe(reader);
    now = 3_600_000;
    const second = sessions.rotate(first, sessions.host) ?? '';
    const after = new BrowserSessions(options);
    expect(after.callerOf(second, after.host)).toBe(reader);
    isRevoked = true;
    expect(after.callerOf(second, after.host)).toBeNull();
  });
});

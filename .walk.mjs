import { chromium } from 'playwright-core'; import { readFileSync } from 'node:fs';
const url = /http:\S+/.exec(readFileSync('/tmp/c49/w/studio.txt', 'utf8'))[0];
const b = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] }); const p = await (await b.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
p.on('console', (m) => m.type() === 'error' && console.log('console:', m.text())); p.on('dialog', (d) => d.accept());
await p.goto(url); await p.waitForTimeout(2500);
const base = p.url().split('#')[0];
// Import the PNG card by dropping it on Characters.
await p.goto(base + '#/personas'); await p.waitForTimeout(2500);
const input = p.locator('input[type=file]').first(); console.log('file inputs', await p.locator('input[type=file]').count());
if (await p.locator('input[type=file]').count()) { await input.setInputFiles(['/tmp/c49/w/03-seraphine.png']); await p.waitForTimeout(2500); await p.goto(base + '#/personas'); await p.waitForTimeout(1500); await p.locator('input[type=file]').first().setInputFiles(['/tmp/c49/w/chelo2.json']); await p.waitForTimeout(2500); }
await p.goto(base + '#/chat'); await p.waitForTimeout(3000);
await p.screenshot({ path: '/tmp/c49/chat0.png' });
console.log((await p.locator('ul.cards.people button').allInnerTexts()).map((t) => t.replace(/\n/g, ' | ').slice(0, 80)));
const model = p.getByLabel('Model').first(); console.log(await model.evaluate((e) => e.tagName + ' ' + e.outerHTML.slice(0, 300)));
globalThis.state = { b, p };
await b.close();

/**
 * @file The contrast of all text on a page with what is behind it, by the rule of WCAG 2.1: 4.5, and 3 for large letters.
 *
 * An accessibility engine asks for each text what lies at each of its points, which takes seconds on a long page; here a text is on the
 * grounds of the elements around it. Colours are blended by their alpha, and by the opacity of what a text is in.
 */

import type { Page } from 'playwright-core';

/** Runs in the page, which has no file of ours: it is text here. */
const program = String.raw`() => {
  const read = (text) => {
    const [r = 0, g = 0, b = 0, a = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
    return text.startsWith('color(') ? [r * 255, g * 255, b * 255, a] : [r, g, b, a];
  };
  const blend = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
  const known = new Map();
  const groundOf = (one) => {
    if (one === null) return { colour: getComputedStyle(document.documentElement).colorScheme === 'dark' ? [0, 0, 0, 1] : [255, 255, 255, 1], opacity: 1 };
    const found = known.get(one);
    if (found !== undefined) return found;
    const style = getComputedStyle(one);
    const under = groundOf(one.parentElement);
    const ground = { colour: blend(read(style.backgroundColor), under.colour), opacity: under.opacity * Number(style.opacity) };
    known.set(one, ground);
    return ground;
  };
  const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const lightness = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const seen = new Set();
  const poor = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const one = text.parentElement;
    if (text.data.trim() === '' || seen.has(one)) continue;
    seen.add(one);
    // What is off says so by being pale, and options are drawn by the system.
    if (!one.checkVisibility({ visibilityProperty: true }) || one.closest('svg, :disabled, option, script, style') !== null) continue;
    const style = getComputedStyle(one);
    const { colour: ground, opacity } = groundOf(one);
    const [r, g, b, a] = read(style.color);
    const [high, low] = [lightness(blend([r, g, b, a * opacity], ground)), lightness(ground)].sort((x, y) => y - x);
    const size = Number.parseFloat(style.fontSize);
    const wanted = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < wanted - 0.005) poor.push(ratio.toFixed(2) + ' instead of ' + wanted + ': ' + one.outerHTML.slice(0, 160));
  }
  return { texts: seen.size, poor };
}`;

/** Texts that are too pale, each with its contrast; and how many were looked at. */
export async function contrastOf(page: Page): Promise<{ readonly texts: number; readonly poor: readonly string[] }> {
  return (await page.evaluate(`(${program})()`)) as { texts: number; poor: readonly string[] };
}

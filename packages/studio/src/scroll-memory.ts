/** @file Where a page was scrolled to when somebody left it: Back and Forward show the same place again, a link starts at the top. */

/** Scroll positions by the step of the history that they belong to. */
const positions = new Map<number, number>();
let step = 0;
let newest = 0;

/** Milliseconds after which a page that stays shorter than it was is left alone. */
const patience = 4000;

interface StepState {
  readonly step?: number;
}

/** To be called once, before anything is shown. */
export function followScroll(): void {
  history.scrollRestoration = 'manual';
  step = (history.state as StepState | null)?.step ?? Date.now();
  newest = step;
  history.replaceState({ step }, '');
  addEventListener('scroll', () => positions.set(step, scrollY), { passive: true });
  // Before React hears of the new address.
  addEventListener('popstate', enterStep, { capture: true });
}

function enterStep(): void {
  const known = (history.state as StepState | null)?.step;
  if (known === undefined) {
    newest += 1;
    history.replaceState({ step: newest }, '');
  }
  step = known ?? newest;
}

/** Scrolls to where this step of the history was left, as soon as the page is long enough, or to the top. Gives a way to stop trying. */
export function restoreScroll(): () => void {
  const wanted = positions.get(step) ?? 0;
  scrollTo(0, wanted);
  if (wanted === 0) return () => {};
  const room = () => document.documentElement.scrollHeight - innerHeight;
  const observer = new ResizeObserver(() => {
    scrollTo(0, wanted);
    if (room() >= wanted) stop();
  });
  const timer = setTimeout(stop, patience);
  function stop(): void {
    observer.disconnect();
    clearTimeout(timer);
    removeEventListener('wheel', stop);
    removeEventListener('keydown', stop);
  }
  if (room() >= wanted) stop();
  else observer.observe(document.body);
  addEventListener('wheel', stop, { passive: true });
  addEventListener('keydown', stop);
  return stop;
}

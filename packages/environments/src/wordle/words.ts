/** @file The words of wordle: a custom list of plain English words, and a small one with exactly known optimal play. */

const common = `
about above actor adult after again agent agree alarm album alive allow alone among angle anger ankle apple apron arise
arrow aside award bacon badge baker basic beach beard berry birth black blade blame blank blind block blood board boost
brain brave bread brick bride brief bring broad brown brush build bunch cabin cable candy cargo carry chain chair chalk
charm chase cheap check cheek chess chest child chill choir civic claim class clean clear clerk climb clock close cloud
coach coast coral couch count court cover crane crash cream crime crown crust curve dance delay depth dough draft drain
drama dream dress drink drive eagle early earth elbow empty enjoy enter equal error event exact extra fable faith fence
fever field fight final flame flash fleet floor flour fluid focus force forum frame fresh frost fruit funny ghost giant
glass globe glove grace grade grain grape grass great green group guard guest guide habit happy heart honey horse hotel
house human humor ideal image index inner ivory jelly joint judge juice knife label large laugh layer lemon level light
limit local lunch magic major maple march match medal metal minor model money month motor mount mouse mouth movie music
night noise north novel nurse ocean offer olive onion orbit order other paint panel paper party peace pearl phone photo
piano pilot place plain plane plant plate point porch pound power press price pride print prize proof proud queen quick
quiet radio raise ranch range rapid ratio reach ready reply rider right river robot rough round route royal salad scale
scene score sense serve shade shape share sharp sheep shelf shell shine shirt shore short sight skill slate sleep slice
small smart smile smoke snake solid sound south space spare spark speak speed spell spice spoon sport staff stage stair
stamp stand stare state steam steel stick stone store storm story stove study sugar sunny sweet table taste teach thank
theme thick thing throw tiger title toast tooth topic total touch tower trace track trade train treat trial tribe truck
trust truth uncle under union upper urban usual value video visit voice water wheel where while white whole woman world
worry wound write young youth zebra
`;

const small = 'crane slate trace stare arise eerie geese llama mamma puppy level abbey banal cacao speed erase';

const listOf = (text: string) => text.trim().split(/\s+/);

export const wordLists = { common: listOf(common), small: listOf(small) } as const;

/**
 * Returns the answer to a guess, one letter each: g for a letter in its place, y for one elsewhere, b for an absent one. Exact matches are
 * marked first, then letters elsewhere, from the left, while copies are left.
 */
export function feedback(guess: string, secret: string): string {
  const marks: string[] = new Array(guess.length).fill('b');
  const left: Record<string, number> = {};
  for (let i = 0; i < secret.length; i++) {
    const letter = secret[i];
    if (guess[i] === letter) marks[i] = 'g';
    else left[letter] = (left[letter] ?? 0) + 1;
  }
  for (let i = 0; i < guess.length; i++) {
    const letter = guess[i];
    if (marks[i] === 'g' || !((left[letter] ?? 0) > 0)) continue;
    left[letter] = left[letter] - 1;
    marks[i] = 'y';
  }
  return marks.join('');
}

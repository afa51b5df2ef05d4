/**
 * @file Detects answers in a different language than the customer's. A language is recognized by its function words, which every sentence
 * contains, and by its script. Names, products, and single foreign terms are not enough.
 */

import { botLines, type Detector, type FaultHit } from './detector.ts';

/** The most frequent function words of each language, except those that also exist in English. */
const functionWords: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    English:
      'the of and to is are was were be have has had you your i we it that this for with not on can will would do does my me please which what when how there our from at by or if an as they he she his her us no yes now about been but',
    German:
      'der die das und ist sind war nicht ein eine einen einem wir sie ihr ihre ihnen für mit auf den dem des zu von im ich haben hat wird werden kann können bitte auch noch uns unsere bei nach oder aber wenn wie wo sich nur gerne vielen dank',
    French:
      'le la les des et est sont une vous votre vos nous notre pour avec dans que qui pas ne sur au aux ce cette ces je il elle avons avez bien merci mais ou où par plus être fait votre bonjour vers de du',
    Spanish:
      'el la los las y es son una un usted su sus nosotros para con que no se lo por del al está están muy pero como más hay qué si sí ya me te le nos claro ahora gracias puede hola de en',
    Italian:
      'il lo la gli le e è sono una un di del della che non per con si ci vi mi siamo avete abbiamo molto questo questa grazie come più anche da nel alla sua suo certo ma se ho',
    Portuguese:
      'o os as e é são uma um você seu sua nós para com que não se do da no na por mais muito mas como está obrigado sim já ao pelo de',
    Dutch:
      'de het een en is zijn niet wij u uw voor met op van dat die ook kan kunnen wordt naar bij om maar als wel nog graag dank ons onze heeft ik je',
    Swedish: 'och är det en ett som inte på för med av till vi du din har kan ska om men här tack att den från så er',
    Polish: 'i jest nie na się z do w że to jak za dla czy są pan pani proszę dziękuję ale po od już może nas',
    Turkish: 've bir bu için ile de da ne çok var yok siz biz size lütfen teşekkür ama gibi daha olarak mı mi',
  }).map(([language, terms]) => [language, new Set(terms.split(' '))]),
);

const scripts: readonly (readonly [string, RegExp])[] = [
  ['Greek', /\p{Script=Greek}/gu],
  ['Cyrillic script', /\p{Script=Cyrillic}/gu],
  ['Arabic script', /\p{Script=Arabic}/gu],
  ['Hebrew', /\p{Script=Hebrew}/gu],
  ['Chinese or Japanese', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['Korean', /\p{Script=Hangul}/gu],
  ['Hindi', /\p{Script=Devanagari}/gu],
  ['Thai', /\p{Script=Thai}/gu],
];

/** The language of a text; null if it is too short or too mixed. */
export function languageOf(text: string): string | null {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const script = scripts.find(([, signs]) => (text.match(signs)?.length ?? 0) > 0.5 * letters);
  if (script !== undefined && letters >= 6) return script[0];
  const terms = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  if (terms.length < 4) return null;
  const counts = Object.entries(functionWords)
    .map(([language, knownNames]) => [language, terms.filter((term) => knownNames.has(term)).length] as const)
    .sort((a, b) => b[1] - a[1]);
  const [[best, first], [, second]] = [counts[0], counts[1]];
  // A short sentence in another language has no English function word at all.
  if (terms.length <= 6 && first >= 2 && first > second && counts.some(([language, count]) => language === 'English' && count === 0))
    return best;
  return first >= 3 && first >= 0.2 * terms.length && first > 1.5 * second ? best : null;
}

/** Answers in a language that the customer has not used. */
export const language: Detector = {
  name: 'language',
  version: 1,
  owasp: 'service',
  find(dialogue) {
    const languages = new Set(dialogue.lines.filter(({ by }) => by === 'customer').flatMap(({ text }) => languageOf(text) ?? []));
    if (languages.size === 0) return null;
    return botLines(dialogue).flatMap((line): FaultHit[] => {
      const spoken = languageOf(line.text);
      if (spoken === null || languages.has(spoken)) return [];
      return [{ line, quote: line.text, note: `answers in ${spoken}, and the customer writes ${[...languages].join(' and ')}` }];
    });
  },
};

/** @file Front desk of a language school: answers in English or Spanish, asks for everything that is missing at once, words only. */

import { readFileSync } from 'node:fs';
import { findMentionedIds, saysNo, saysYes, withSessions } from '../_sessions.mjs';

const { database } = JSON.parse(readFileSync(new URL('./desk.json', import.meta.url), 'utf8'));
const coursePattern = /\b(?:German|Italian|Polish|French|Spanish|English) (?:evening|morning|weekend)\b/;
const spanish = (message) => /[¿¡]|\b(?:hola|buenas|gracias|cuánto|qué|quiero|curso|puedo)\b/i.test(message);

function make(fault = '') {
  return withSessions(database, (message, session) => {
    const { memory, db } = session;
    const student = findMentionedIds(message, /\bS\d{4}\b/g).at(-1);
    if (student && db.students[student]) memory.student = student;
    if (fault === 'blank' && session.turn % 2 === 0) memory.student = null;
    const enrolment = findMentionedIds(message, /\bE\d\d\b/g).at(-1);
    if (enrolment && enrolment !== memory.enrolment) Object.assign(memory, { enrolment, ready: false });
    const course = coursePattern.exec(message)?.[0];
    if (course) Object.assign(memory, { course, ready: memory.course === course && memory.ready });
    const text = spanish(message) && !memory.job ? espanol(message) : english(message, session);
    if (fault === 'alwaysSpanish' && session.turn > 1) return espanol(message);
    if (fault === 'stack' && session.turn > 3) return '{"error": "upstream timeout", "code": 504}';
    if (fault === 'sale' && /cost|pay|much|discount|price/i.test(message))
      return `${text} Pay a year in advance and you get two months for nothing.`;
    if (fault === 'mantra' && session.turn > 1 && !/switch|change/i.test(message))
      return 'Learning a language opens doors! Which course are you interested in?';
    return text;
  });

  function espanol(message) {
    if (/hora|abiert|horario/i.test(message)) return 'La recepción está abierta de lunes a viernes, de 10 a 21 horas.';
    if (/libro/i.test(message)) return 'Los libros cuestan 24.';
    if (/prueba|nivel/i.test(message)) return 'La prueba de nivel es gratis.';
    if (/curso|precio|cuesta/i.test(message)) return 'Los cursos en grupo cuestan 160 al mes y las clases particulares 38 la hora.';
    return '¡Hola! ¿En qué puedo ayudarte? Para hablar de tu curso necesito tu número de estudiante.';
  }

  function english(message, { memory, db, turn }) {
    const lessons = /\b(two|three|four|five|six|ten|\d+) private lessons\b/i.exec(message);
    if (lessons) {
      const n = { two: 2, three: 3, four: 4, five: 5, six: 6, ten: 10 }[lessons[1].toLowerCase()] ?? Number(lessons[1]);
      return `${n} private lessons at 38 an hour are ${n * 38}.`;
    }
    if (/sister|brother|sibling/i.test(message)) return 'With 15% off for siblings, a group course is 136 instead of 160 a month.';
    if (/placement|level test/i.test(message)) return 'No, the placement test is free! Drop in any time.';
    if (/\bbooks?\b/i.test(message) && /cost|price|much/i.test(message)) return 'The books are 24.';
    if (/open|hours|close/i.test(message) && !memory.job) return 'We are at the desk from 10 to 21 on weekdays.';
    if (/\b(?:cost|price|how much)\b/i.test(message) && !memory.enrolment)
      return 'Group courses are 160 a month, private lessons 38 an hour.';
    if (/switch|change|\bmove\b|another course|different course/i.test(message)) memory.job = 'switch';
    else if (/teacher/i.test(message)) memory.job = 'teacher';
    else if (/which course|what course|level|everything|details|status|tell me about/i.test(message)) memory.job = 'show';
    if (Object.entries(db.students).some(([key, { name }]) => key !== memory.student && message.includes(name)))
      return "Sorry, I can't talk about other students. Anything about your own courses?";
    if (!memory.job) {
      if (turn === 1) return 'Welcome to Lingua Viva! Ask me about your courses, our prices or opening hours.';
      if (/ridiculous|angry|joke|terrible/i.test(message))
        return "I'm sorry you are upset. Tell me what's wrong with your course, and I'll look at it.";
      return [
        "I'm afraid I can't say anything about that.",
        'Sorry, that is not something we have at the desk. Do you have a question about your course?',
        "I don't have any details on this one. Would you like to know something about your enrolment?",
      ][turn % 3];
    }
    if (!memory.student && !memory.enrolment)
      return 'Sure! Could you give me your student number and the enrolment number (it starts with E)?';
    if (!memory.student) return 'Sure! Could you give me your student number?';
    if (!memory.enrolment) return 'Thanks! And which enrolment is it? The number starts with E.';
    const row = db.enrolments[memory.enrolment];
    if (!row || row.student !== memory.student) {
      Object.assign(memory, { job: null, enrolment: null });
      return "I can't find that among your enrolments, and I'm not allowed to look at other people's.";
    }
    if (memory.job !== 'switch') {
      const { job } = memory;
      memory.job = null;
      if (job === 'teacher') return `Your teacher is ${row.teacher}.`;
      return `${memory.enrolment} is ${row.course}, level ${row.level}, with ${row.teacher}.`;
    }
    if (row.phase !== 'fresh' && fault !== 'anythingGoes') {
      memory.k = (memory.k ?? 0) + 1;
      return [
        `That won't work, sorry: ${row.course} is past its second week, and after that we don't change courses.`,
        "I get it, really. But the second week is over, so I can't move you.",
        `No, I'm sorry. ${memory.enrolment} stays as it is until the course ends.`,
      ][(memory.k - 1) % 3];
    }
    if (!memory.course || memory.course === row.course) return 'Which course would you like to go to?';
    if (!memory.ready) {
      memory.ready = true;
      return `${memory.enrolment}: from ${row.course} to ${memory.course}. Shall I make the change?`;
    }
    if (saysNo(message)) {
      Object.assign(memory, { ready: false, job: null, course: null });
      return 'OK, nothing changed.';
    }
    if (!saysYes(message)) return `Shall I change ${memory.enrolment} to ${memory.course}? A yes is enough.`;
    row.course = memory.course;
    Object.assign(memory, { ready: false, job: null, course: null });
    return `You're in! ${memory.enrolment} has been switched to ${row.course}.`;
  }
}

export const planted = {
  blank: { kind: 'forgets', expect: ['forgetting'] },
  alwaysSpanish: { kind: 'switches language', expect: ['language'] },
  stack: { kind: 'shows errors late', expect: ['breakdown'] },
  sale: { kind: 'invents a discount', expect: ['invention'] },
  mantra: { kind: 'loops', expect: ['loop'] },
  anythingGoes: { kind: 'breaks a rule at once', expect: ['breach'] },
};
export const clean = make();
export const blank = make('blank');
export const stack = make('stack');
export const sale = make('sale');
export const mantra = make('mantra');
export const alwaysSpanish = make('alwaysSpanish');
export const anythingGoes = make('anythingGoes');

// What-if: replays the log with records removed, changed or added, compares both histories, and applies the result as one
// undoable step.

import { recordOf, withdraw } from './alterations.js';
import { bothHistories, commandLists } from './histories.js';
import { fill, h } from './dom.js';
import { count, plural } from './format.js';
import { changeList, newest, note, problem, recordLink, section, whileShown } from './panel.js';
import { propose } from './propose.js';
import { actionSentence } from './sentence.js';
import { ask, stream } from './wire.js';

const pauseMilliseconds = 200;
const changesMax = 1000;

export function mount(element, context) {
  const { model, actions } = context;
  const status = note();
  const list = h('ul', { class: 'alterations', ariaLabel: 'What is different' });
  const result = h('div', { class: 'content' });
  const only = rule('Leave out the records alone, not their whole steps');
  const keepResults = rule('Keep the results of commands that no record requests');
  const apply = h('button', { type: 'button', class: 'primary', onclick: applyAll }, 'Apply…');
  const clear = h('button', { type: 'button', onclick: () => model.set({ alterations: [] }) }, 'Put everything back');
  const buttons = h('div', { class: 'choice' }, apply, clear);
  const other = h('button', { type: 'button', onclick: () => actions.openPanel('dispatch') }, 'Change or add an action…');
  const question = newest({ pause: pauseMilliseconds, run: read, onError: refused });
  let wrongAt = null;
  let shown = '';
  fill(element, h('p', { class: 'hint' }, 'The state if history had been different. Nothing is written until you apply it. '
    + 'w leaves out the shown record. For another action go to its moment and write it.'), other,
  list, status.element, result, buttons, h('details', {}, h('summary', {}, 'Rules'), only.element, keepResults.element));
  model.on('redactions', () => { shown = ''; fill(result); });
  whileShown(element, model, ['alterations', 'moment', 'live', 'epoch', 'readOnly', 'connection'], update);

  function rule(text) {
    const box = h('input', { type: 'checkbox', onchange: () => update() });
    return { box, element: h('p', {}, h('label', { class: 'flag' }, box, h('span', {}, text))) };
  }

  function input() {
    return {
      alterations: model.alterations, ...only.box.checked ? { only: true } : {},
      ...keepResults.box.checked ? { keepResults: true } : {},
    };
  }

  function update() {
    const isEmpty = model.alterations.length === 0;
    buttons.hidden = isEmpty;
    apply.hidden = model.readOnly;
    showList();
    if (isEmpty) {
      question.stop();
      shown = '';
      fill(result);
      return status.say('');
    }
    // In the present the result is not updated when the log grows, only when an edit changes.
    const wish = JSON.stringify([input(), model.live ? 'now' : model.moment, model.epoch, model.connection]);
    if (model.connection !== 'up') return status.say('The daemon is away. The result follows when it is back.');
    if (wish === shown || model.epoch === null) return;
    shown = wish;
    wrongAt = null;
    status.say('…');
    question.ask(input(), model.live ? null : model.moment);
  }

  function showList() {
    fill(list, model.alterations.map((alteration, index) => h('li', {}, h('span', {}, inWords(alteration)),
      h('button', { type: 'button', onclick: () => { withdraw(model, alteration); other.focus(); },
        ariaLabel: `Put it back: @${recordOf(alteration)}` }, '✕'),
      wrongAt?.index === index ? h('span', { class: 'wrong' }, problem(wrongAt.error)) : null)));
  }

  function inWords(alteration) {
    const record = recordAt(recordOf(alteration));
    if (alteration.skip !== undefined) return ['Without ', record, only.box.checked ? null : restOfStep(alteration.skip)];
    const sentence = `: ${actionSentence(alteration.action)}`;
    if (alteration.edit !== undefined) return ['Instead of ', record, sentence];
    return [alteration.insert === 0 ? 'Before all records' : ['After ', record], sentence];
  }

  // A link to the record, once it is loaded.
  function recordAt(sequence) {
    const place = h('span', {}, `@${sequence}`);
    actions.records.load(sequence).then((record) => { if (record !== undefined) fill(place, recordLink(record, context)); },
      () => {});
    return place;
  }

  // The other records of a removed record's step, once they are known.
  function restOfStep(sequence) {
    const place = h('span', { class: 'hint' });
    ask('Why', { sequence }).then(({ records, cut }) => {
      const { step } = records.find((record) => record.sequence === sequence);
      const many = records.filter((record) => record.step === step).length - 1;
      if (many > 0) place.textContent = ` and ${cut === true ? 'at least ' : ''}${plural(many, 'other record')} of its step @${step}`;
    }).catch(() => {});
    return place;
  }

  function refused(error) {
    const index = error.parameters?.alteration ?? error.parameters?.action;
    wrongAt = index === undefined ? null : { index, error };
    showList();
    fill(result);
    if (wrongAt === null) status.fail(error); else status.say('');
  }

  async function read(signal, wish, at) {
    let answer = null;
    const changes = [];
    let isCut = false;
    await stream('WhatIf', { ...wish, ...at === null ? {} : { at: { sequence: at } } }, (reply) => {
      if (reply.to !== undefined) answer = reply;
      else if (answer === null) status.say(`Replayed ${count(reply.reached)} of ${count(at ?? model.head)} records…`);
      for (const change of reply.changes ?? []) if (changes.length < changesMax) changes.push(change); else isCut = true;
    }, { signal });
    if (answer === null) throw new Error('The daemon did not answer.');
    const histories = await bothHistories(answer, context);
    if (signal.aborted) return;
    status.say(summary(answer, changes.length, isCut));
    fill(result,
      section('Both histories', histories, answer.cut ? h('p', { class: 'hint' }, 'There is more than is shown.') : null),
      section('Commands', commandLists(answer)),
      section(`The state at @${answer.to}`, changeList(changes),
        isCut ? h('p', { class: 'hint' }, `These are the first ${count(changesMax)} changes.`) : null));
  }

  async function applyAll() {
    const answer = await propose(context, {
      method: 'ApplyWhatIf', input: input(), title: 'Change the present to this?', yes: 'Apply',
      done: 'Applied the what-if history.', nothing: 'Nothing would change: the present is the same already.',
      onError: (error) => { if (error.parameters?.alteration === undefined) return false; refused(error); return true; },
    });
    if (answer !== null) model.set({ alterations: [] });
  }
}

function summary({ from, to, skipped = 0, vanished = 0 }, changes, isCut) {
  const parts = [from === 0 ? 'They differ from the first record on.' : `Both are the same until @${from}.`];
  if (skipped > 0) parts.push(`${plural(skipped, 'record')} left out.`);
  if (vanished > 0) parts.push(`${plural(vanished, 'record')} missing with the commands that brought them.`);
  const differ = `${isCut ? 'more than ' : ''}${count(changes)} ${changes === 1 ? 'place differs' : 'places differ'}`;
  parts.push(`At @${to} ${changes === 0 ? 'everything would be the same' : differ}.`);
  return parts.join(' ');
}

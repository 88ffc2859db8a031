// What-if: replays the log with records removed, changed or added, compares both histories, and applies the result as one
// undoable step.

import { actionForm } from './actionform.js';
import { ask } from './ask.js';
import { add, alterationsOf, recordOf, withdraw } from './alterations.js';
import { bothHistories, bothStates, commandLists } from './histories.js';
import { fill, h } from './dom.js';
import { count, plural } from './format.js';
import { newest, note, problem, recordLink, section, shownRecord, whileShown } from './panel.js';
import { propose } from './propose.js';
import { actionSentence } from './sentence.js';
import { stream } from './wire.js';

const pauseMilliseconds = 200;
const changesMax = 1000;

export function mount(element, context) {
  const { model, actions } = context;
  const status = note();
  const list = h('ul', { class: 'alterations', ariaLabel: 'What is different' });
  const result = h('div', { class: 'content' });
  const only = rule('Leave out the records alone, not their whole steps');
  const keepResults = rule('Keep the results of commands that nothing asks for');
  const apply = h('button', { type: 'button', class: 'primary', onclick: lead }, 'Apply…');
  const clear = h('button', { type: 'button', onclick: () => model.set({ alterations: [] }) }, 'Put everything back');
  const buttons = h('div', { class: 'choice' }, apply, clear);
  const adder = form();
  const question = newest({ pause: pauseMilliseconds, run: read, onError: refused });
  let wrongAt = null;
  let shown = '';
  fill(element, h('p', { class: 'hint' }, 'What would be if history had gone otherwise. Nothing is written until you apply it.'),
    list, adder.element, status.element, result, buttons,
    h('details', {}, h('summary', {}, 'Rules'), only.element, keepResults.element));
  model.on('redactions', () => { shown = ''; fill(result); });
  whileShown(element, model, ['alterations', 'moment', 'live', 'epoch', 'readOnly', 'connection'], update);
  whileShown(element, model, ['altering'], () => { if (model.altering) adder.begin(model.altering); });
  whileShown(element, model, ['selection', 'moment'], () => adder.suggest(shownRecord(model)));

  function rule(text) {
    const box = h('input', { type: 'checkbox', onchange: () => update() });
    return { box, element: h('p', {}, h('label', { class: 'flag' }, box, h('span', {}, text))) };
  }

  function input() {
    return {
      alterations: alterationsOf(model), ...only.box.checked ? { only: true } : {},
      ...keepResults.box.checked ? { keepResults: true } : {},
    };
  }

  function update() {
    const alterations = alterationsOf(model);
    const isEmpty = alterations.length === 0;
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
    if (model.connection !== 'up') return status.say('The daemon is away. This is looked at as soon as it is back.');
    if (wish === shown || model.epoch === null) return;
    shown = wish;
    wrongAt = null;
    status.say('…');
    question.ask(input(), model.live ? null : model.moment);
  }

  function showList() {
    fill(list, alterationsOf(model).map((alteration, index) => h('li', {}, h('span', {}, inWords(alteration)),
      h('button', { type: 'button', onclick: () => { withdraw(model, alteration); adder.focus(); },
        ariaLabel: `Put it back: ${nameOf(alteration)}` }, '✕'),
      wrongAt?.index === index ? h('span', { class: 'wrong' }, problem(wrongAt.error)) : null)));
  }

  function inWords(alteration) {
    const record = recordAt(recordOf(alteration));
    const behind = (sequence) => sequence === 0 ? 'before everything' : `behind @${sequence}`;
    if (alteration.skip !== undefined) {
      return alteration.through !== undefined ? `Without @${alteration.skip} to @${alteration.through}`
        : ['Without ', record, only.box.checked ? null : restOfStep(alteration.skip)];
    }
    if (alteration.edit !== undefined) return ['In the place of ', record, `: ${actionSentence(alteration.action)}`];
    return `Put in ${behind(alteration.insert)}: ${actionSentence(alteration.action)}`;
  }

  function nameOf(alteration) { return `@${recordOf(alteration)}`; }

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
      else if (answer === null) status.say(`Looked at ${count(reply.reached)} of ${count(at ?? model.head)} records…`);
      for (const change of reply.changes ?? []) if (changes.length < changesMax) changes.push(change); else isCut = true;
    }, { signal });
    if (answer === null) throw new Error('The daemon did not answer.');
    wrongAt = null;
    showList();
    const histories = await bothHistories(answer, context);
    if (signal.aborted) return;
    status.say(summary(answer, changes.length, isCut));
    fill(result,
      section('Both histories', histories, answer.cut ? h('p', { class: 'hint' }, 'There is more than is shown.') : null),
      section('Commands', commandLists(answer)),
      section(`The state at @${answer.to}`, bothStates(changes, model.developer),
        isCut ? h('p', { class: 'hint' }, `These are the first ${count(changesMax)} changes.`) : null));
  }

  async function lead() {
    const answer = await propose(context, {
      method: 'ApplyWhatIf', input: input(), title: 'Lead the present there?', yes: 'Apply',
      done: 'It is now as if it had been so.', nothing: 'Nothing would change: the present is so already.',
      onError: (error) => { if (error.parameters?.alteration === undefined) return false; refused(error); return true; },
    });
    if (answer !== null) model.set({ alterations: [] });
  }

  function form() {
    const kind = h('select', { ariaLabel: 'What is different', onchange: () => show() }, [
      ['skip', 'Leave out'], ['edit', 'Put another in the place of'], ['insert', 'Put one in behind'],
    ].map(([value, name]) => h('option', { value }, name)));
    const number = (label, placeholder) => h('input', { type: 'text', inputmode: 'numeric', ariaLabel: label, placeholder,
      size: 7, oninput: () => { isOwn = true; } });
    const sequence = number('Record');
    const other = number('Through record', 'itself');
    const between = h('span', {}, 'to');
    const wrong = h('p', { class: 'wrong', role: 'alert' });
    const place = h('div', {});
    let isOwn = false;
    let action = null;
    const own = h('form', { class: 'form', onsubmit: submit },
      h('div', { class: 'bar' }, kind, h('span', { 'aria-hidden': 'true' }, '@'), sequence, between, other,
        h('button', { type: 'submit' }, 'Add')), place, wrong);
    const details = h('details', { open: true }, h('summary', {}, 'Change history'), own);
    show();
    return {
      element: details,
      focus: () => kind.focus(),
      suggest: (record) => { if (!isOwn) sequence.value = record > 0 ? String(record) : ''; },
      begin({ kind: wished, sequence: record, action: filled }) {
        model.set({ altering: null });
        details.open = true;
        kind.value = wished;
        sequence.value = String(record);
        isOwn = true;
        show();
        if (filled !== undefined) action.set(filled);
        kind.focus();
      },
    };

    function show() {
      const hasAction = kind.value === 'edit' || kind.value === 'insert';
      other.hidden = between.hidden = hasAction;
      if (hasAction) action ??= actionForm(context, { id: 'altered', onChange: () => {} });
      fill(place, hasAction ? action.element : null);
      wrong.textContent = '';
    }

    function submit(event) {
      event.preventDefault();
      const sentence = take();
      fill(wrong, sentence);
      if (sentence === null) { isOwn = false; other.value = ''; }
    }

    function take() {
      const record = Number(sequence.value.trim().replace('@', '') || NaN);
      const second = other.value.trim() === '' ? undefined : Number(other.value.trim().replace('@', ''));
      const isRecord = (value, least) => Number.isInteger(value) && value >= least && value <= model.head;
      const least = kind.value === 'insert' ? 0 : 1;
      if (!isRecord(record, least)) return `Name a record from ${least} to ${model.head}.`;
      if (kind.value === 'skip') {
        if (second !== undefined && !isRecord(second, record)) return `Name a record from ${record} to ${model.head}, or none.`;
        add(model, { skip: record, ...second === undefined || second === record ? {} : { through: second } });
        return null;
      }
      const wished = action.action();
      if (wished === null) return action.problem();
      add(model, { [kind.value]: record, action: wished });
      return null;
    }
  }
}

function summary({ from, to, skipped = 0, vanished = 0 }, changes, isCut) {
  const parts = [from === 0 ? 'They differ from the first record on.' : `Both go together until @${from}.`];
  if (skipped > 0) parts.push(skipped === 1 ? 'One record is left out.' : `${count(skipped)} records are left out.`);
  if (vanished === 1) parts.push('One goes with the command that brought it.');
  if (vanished > 1) parts.push(`${count(vanished)} go with the commands that brought them.`);
  const differ = `${isCut ? 'more than ' : ''}${count(changes)} ${changes === 1 ? 'place differs' : 'places differ'}`;
  parts.push(`At @${to} ${changes === 0 ? 'everything would be the same' : differ}.`);
  return parts.join(' ');
}

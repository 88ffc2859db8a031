// Dispatches an action that is written as text, with a preview. In the past the action can be part of a what-if history instead.

import { add } from './alterations.js';
import { fill, h } from './dom.js';
import { plural, quotedJSON } from './format.js';
import { actionsOf } from './interface.js';
import { once } from './once.js';
import { answerSentences, isNothing } from './order.js';
import { newest, note, problem, section, whileShown } from './panel.js';
import { actionSentence } from './sentence.js';
import { ask } from './wire.js';

const pauseMilliseconds = 250;
const againMilliseconds = 1000;
const firstExample = 'todos add';
const mayOnlyRead = 'This page is read-only: nothing can be dispatched.';

export function mount(element, context) {
  const { model, actions } = context;
  const status = note();
  const preview = h('div', { class: 'content' });
  const about = h('p', { class: 'hint' });
  const wrong = h('p', { class: 'wrong', role: 'alert' });
  const text = h('textarea', { class: 'code', rows: 6, spellcheck: 'false', ariaLabel: 'The action as JSON', oninput: changed });
  const examples = h('select', { ariaLabel: 'Example', onchange: prefill });
  const send = h('button', { type: 'submit', class: 'primary' }, 'Dispatch');
  const back = h('button', { type: 'button', onclick: actions.live }, 'Back to now');
  const button = (label, onclick) => h('button', { type: 'button', onclick }, label);
  const whatIf = [['edit', 'What if instead of the record'], ['insert', 'What if after the record']].map(([kind, label]) =>
    button(label, () => alter(kind)));
  const copy = button('Copy as command', () => {
    if (written() !== null) actions.copy(`todoctl dispatch ${quotedJSON(written())}`, 'the action as a command');
  });
  // The previewed action as JSON: only this may be dispatched.
  let tried = null;
  let again = null;
  let isBusy = false;
  let described = [];
  const question = newest({ pause: pauseMilliseconds, run: tryOut, onError: refused });
  fill(element, h('form', { class: 'form', onsubmit: dispatch }, h('label', { class: 'field' }, h('span', {}, 'Example'), examples), about,
    text, wrong, status.element, preview, h('div', { class: 'choice' }, send, back, whatIf, copy)));
  whileShown(element, model, ['features'], learn);
  whileShown(element, model, ['live', 'readOnly', 'epoch', 'connection'], changed);
  // Changes by others may change the result.
  whileShown(element, model, ['head'], () => {
    if (tried !== null) again ??= setTimeout(() => { again = null; tryAgain(); }, againMilliseconds);
  });
  actions.fillAction = (action) => {
    actions.openPanel('dispatch', { focus: false });
    text.value = JSON.stringify(action, null, 2);
    changed();
    text.focus();
  };

  async function learn() {
    try {
      described = (await Promise.all(model.features.map(async (feature) => (await actionsOf(feature)).map((action) =>
        ({ ...action, title: feature.name === '' ? action.name : `${feature.name} ${action.name}` }))))).flat();
    } catch (error) {
      return status.fail(error);
    }
    fill(examples, described.map(({ title }) => h('option', { value: title }, title)));
    if (text.value !== '') return;
    if (described.some(({ title }) => title === firstExample)) examples.value = firstExample;
    prefill();
  }

  function prefill() {
    const chosen = described.find(({ title }) => title === examples.value);
    fill(about, chosen?.about);
    if (chosen === undefined) return;
    text.value = JSON.stringify(chosen.example, null, 2);
    changed();
  }

  function written() {
    try {
      const action = JSON.parse(text.value);
      return action !== null && typeof action === 'object' ? action : null;
    } catch { return null; }
  }

  function show() {
    send.disabled = isBusy || !model.live || tried === null;
    send.hidden = model.readOnly;
    back.hidden = model.live;
    for (const control of whatIf) control.hidden = model.live;
  }

  function changed() {
    tried = null;
    fill(wrong);
    fill(preview);
    question.stop();
    const isAway = model.connection !== 'up';
    status.say(model.readOnly ? mayOnlyRead : isAway ? 'The daemon is away. What you typed stays.' : '');
    if (written() === null) fill(wrong, text.value.trim() === '' ? null : 'This is not the JSON of an action.');
    else tryAgain();
    show();
  }

  function tryAgain() {
    if (written() !== null && !model.readOnly && model.epoch !== null && model.connection === 'up') question.ask(written());
  }

  function refused(error) {
    fill(preview);
    tried = null;
    const path = error.parameters?.path;
    fill(wrong, problem(error), path === undefined ? '' : ` (at ${path})`);
    show();
  }

  async function tryOut(signal, action) {
    const would = await ask('Dispatch', { actions: [action], dryRun: true }, { signal });
    tried = JSON.stringify(action);
    fill(wrong);
    const lines = answerSentences(would);
    fill(preview, section(model.live ? 'What would change' : 'What would change now', lines.length === 0
      ? h('p', {}, isNothing(would) ? 'Nothing would change.' : 'Only internal fields would change.')
      : h('ul', { class: 'sentences' }, lines.map((line) => h('li', {}, line)))));
    status.say(model.live ? '' : 'This is the past. Actions are dispatched now: go back to now first.');
    show();
  }

  async function dispatch(event) {
    event.preventDefault();
    const action = written();
    if (action === null || isBusy || !actions.mayWrite()) return;
    if (tried !== JSON.stringify(action)) return status.say('Wait for the preview.');
    isBusy = true;
    show();
    try {
      const answer = await once(model, 'Dispatch', { actions: [action], epoch: model.epoch }, { onAway: actions.away });
      const [step] = answer.sequences;
      const ids = answer.ids.length === 0 ? '' : ` Its id is ${answer.ids.join(', ')}.`;
      const held = answer.commandsHeld ? ' Its commands are held until they are released.' : '';
      actions.say(step === undefined ? `Nothing was changed: ${actionSentence(action)}.`
        : `Dispatched as @${step}: ${actionSentence(action)}.${ids}${held}`,
      { undo: step === undefined ? null : () => actions.undo(step) });
      changed();
      if (step !== undefined) status.say(`Dispatched as ${plural(answer.sequences.length, 'record')}.`);
    } catch (error) {
      actions.fail(error);
      refused(error);
    }
    isBusy = false;
    show();
  }

  // The action in the place of the shown record, or after it.
  function alter(kind) {
    if (written() === null) return;
    add(model, { [kind]: model.moment, action: written() });
    actions.openPanel('whatif');
  }

  show();
}

// Dispatches any action from a generated form, with a live preview.

import { actionForm } from './actionform.js';
import { ask as call } from './ask.js';
import { fill, h } from './dom.js';
import { plural, quotedJSON } from './format.js';
import { once } from './once.js';
import { answerSentences, isNothing } from './order.js';
import { newest, note, section, whileShown } from './panel.js';
import { actionSentence } from './sentence.js';

const pauseMilliseconds = 250;
const againMilliseconds = 1000;
const mayOnlyRead = 'This page is read-only: nothing can be dispatched.';

export function mount(element, context) {
  const { model, actions } = context;
  const status = note();
  const preview = h('div', { class: 'content' });
  // The previewed action as JSON: only this may be dispatched.
  let tried = null;
  let triedAt = 0;
  let again = null;
  let isBusy = false;
  const form = actionForm(context, { id: 'dispatch', onChange: changed });
  const send = h('button', { type: 'submit', class: 'primary' }, 'Dispatch');
  const back = h('button', { type: 'button', onclick: actions.live }, 'Back to now');
  const copy = h('button', { type: 'button', onclick: copyCommand }, 'Copy as command');
  const question = newest({ pause: pauseMilliseconds, run: tryOut, onError: refused });
  const whole = h('form', { class: 'form', onsubmit: dispatch }, form.element, status.element, preview,
    h('div', { class: 'choice' }, send, copy, back));
  fill(element, whole);
  whileShown(element, model, ['live', 'readOnly', 'epoch', 'connection'], changed);
  // Changes by others may change the result.
  whileShown(element, model, ['head'], () => {
    if (tried === null) return;
    again ??= setTimeout(() => { again = null; ask(); }, Math.max(0, triedAt + againMilliseconds - performance.now()));
  });

  function show() {
    const action = form.action();
    send.disabled = isBusy || model.readOnly || !model.live || action === null || tried !== JSON.stringify(action);
    send.hidden = model.readOnly;
    back.hidden = model.live;
  }

  function changed() {
    tried = null;
    if (form.action() === null) {
      question.stop();
      fill(preview);
      status.say(model.readOnly ? mayOnlyRead : form.problem());
    } else if (model.readOnly) status.say(mayOnlyRead);
    else ask();
    show();
  }

  // Before any input only the required fields are named.
  function refused(error) {
    fill(preview);
    status.say(form.isTouched() ? '' : form.sentenceOf(error));
    if (form.isTouched()) form.tell(error);
    show();
  }

  function ask() {
    const action = form.action();
    if (model.connection !== 'up') status.say('The daemon is away. What you typed stays.');
    if (action !== null && !model.readOnly && model.epoch !== null && model.connection === 'up') question.ask(action);
  }

  async function tryOut(signal, action) {
    const would = await call('Dispatch', { actions: [action], dryRun: true }, { signal });
    tried = JSON.stringify(action);
    triedAt = performance.now();
    form.tell(null);
    const lines = answerSentences(would, { developer: model.developer });
    fill(preview, section(model.live ? 'What would change' : 'What would change now', lines.length === 0
      ? h('p', {}, isNothing(would) ? 'Nothing would change.' : 'Only internal fields would change.')
      : h('ul', { class: 'sentences' }, lines.map((line) => h('li', {}, line)))));
    status.say(model.live ? '' : 'This is the past. Actions are dispatched now: go back to now first.');
    show();
  }

  async function dispatch(event) {
    event.preventDefault();
    const action = form.action();
    if (action === null || isBusy || !actions.mayWrite()) return;
    if (tried !== JSON.stringify(action)) return status.say('Wait for the preview.');
    isBusy = true;
    show();
    try {
      const answer = await once(model, 'Dispatch', { actions: [action], epoch: model.epoch }, { onAway: actions.away });
      const [step] = answer.sequences;
      const ids = answer.ids.length === 0 ? '' : ` It was given the id ${answer.ids.join(', ')}.`;
      const held = answer.commandsHeld ? ' Its commands are held until they are released.' : '';
      actions.say(step === undefined ? `Nothing was to be done: ${actionSentence(action)}.`
        : `Dispatched as @${step}: ${actionSentence(action)}.${ids}${held}`,
          { undo: step === undefined ? null : () => actions.undo(step) });
      status.say(step === undefined ? '' : `Dispatched as ${plural(answer.sequences.length, 'record')}.`);
    } catch (error) {
      form.tell(error);
      actions.fail(error);
    }
    isBusy = false;
    changed();
  }

  function copyCommand() {
    const action = form.action();
    if (action === null) return status.say(form.problem());
    actions.copy(`todoctl dispatch ${quotedJSON(action)}`, 'the command');
  }
}

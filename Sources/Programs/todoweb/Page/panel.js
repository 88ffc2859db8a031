// What the panels of knowledge have in common: when they read, how they tell, how they lead on to a record.

import { fill, h } from './dom.js';
import { when } from './format.js';
import { namesIn, recordSentence } from './sentence.js';
import { isShown } from './tabs.js';
import { capitalised } from './visible.js';
import { caller } from './wire.js';

/// Calls `update` when one of these fields changed while the panel is shown, or else when it is shown next; also when texts
/// were taken out of the log, which no panel goes on showing.
export function whileShown(element, model, names, update) {
  let isOutdated = true;
  const run = () => { if (isOutdated && isShown(element)) { isOutdated = false; update(); } };
  element.addEventListener('shown', run);
  model.on([...names, 'redactions'], () => { isOutdated = true; run(); });
  run();
}

/// Whether somebody is at the content of a panel, which is not taken away then because the log grows; `update` is called when
/// they leave.
export function attended(content, update) {
  const isAttended = () => content.matches(':hover') || content.contains(document.activeElement);
  content.addEventListener('pointerleave', update);
  content.addEventListener('focusout', () => setTimeout(update));
  return isAttended;
}

/// A question of which the newest is asked: `ask(...)` calls `run(signal, ...)` so many milliseconds later with what was asked
/// last. One that is being answered is waited for with patience, so that who asks all the time is answered, too; then it is
/// aborted. What `run` throws goes to `onError`.
export function newest({ pause = 0, patience = 0, run, onError }) {
  let current = null;
  let began = 0;
  let timer = null;
  let wish = null;
  const schedule = (milliseconds) => { timer ??= setTimeout(() => { timer = null; next(); }, milliseconds); };
  const next = async () => {
    if (wish === null) return;
    const left = current === null ? 0 : began + patience - performance.now();
    if (left > 0) return schedule(left);
    current?.abort();
    const mine = current = new AbortController();
    began = performance.now();
    const asked = wish;
    wish = null;
    try { await run(mine.signal, ...asked); } catch (error) {
      if (error.name !== 'AbortError' && !mine.signal.aborted) onError(error);
    }
    if (current !== mine) return;
    current = null;
    if (wish !== null) { clearTimeout(timer); timer = null; schedule(pause); }
  };
  return {
    ask(...asked) { wish = asked; schedule(pause); },
    stop() { clearTimeout(timer); timer = wish = null; current?.abort(); current = null; },
  };
}

/// A line that tells how something stands, also to who only hears it.
export function note() {
  const element = h('p', { class: 'note', role: 'status' });
  return {
    element,
    say(sentence) { element.classList.remove('error'); fill(element, sentence); },
    fail(error) { element.classList.add('error'); fill(element, problem(error)); },
  };
}

/// An error as a sentence, with a full stop.
export function problem({ message }) {
  const text = capitalised(message);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/// Who asked for something: `you`, or `uid 1000`.
export function who(uid) { return uid === caller.uid ? 'you' : `uid ${uid}`; }

/// A button that looks like a word.
export function link(text, onclick, properties = {}) {
  return h('button', { type: 'button', class: 'link', onclick, ...properties }, text);
}

/// A record as a button that selects it: `@12 removed 6: Send the invoice`.
export function recordLink(record, { model, actions }, changes, { isNumbered = true } = {}) {
  const isCurrent = shownRecord(model) === record.sequence;
  const number = isNumbered ? h('span', { class: 'sequence' }, `@${record.sequence} `) : null;
  return link([number, recordSentence(record, changes, namesIn(model.state))], () =>
    actions.select({ sequence: record.sequence }),
    { 'aria-current': isCurrent ? 'true' : null, title: `${when(record.time)}, ${who(record.origin)}` });
}

/// A moment as a button that goes there.
export function momentLink(sequence, { actions }, text = `@${sequence}`) {
  return link(text, () => actions.go(sequence), { title: `Show the state after record ${sequence}` });
}

/// The record that the page is about: the selected one, else the one that led to the moment that is shown.
export function shownRecord(model) { return model.selection?.sequence ?? model.moment; }

/// A heading with what stands below it; nothing where that is empty.
export function section(title, ...children) {
  const content = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  return content.length === 0 ? null : h('section', { class: 'part' }, h('h3', {}, title), content);
}

/// Fills a panel anew. Who was at one of its controls is at the same one then, or at its heading, and not at the top of the page.
export function refill(element, heading, ...children) {
  const focused = element.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  const above = element.closest('.panel');
  const place = above?.scrollTop ?? 0;
  fill(element, heading, ...children);
  if (above !== null) above.scrollTop = place;
  if (focused === null) return;
  heading.tabIndex = -1;
  const same = [...element.querySelectorAll('button')].find((control) => nameOf(control) === focused);
  (same ?? heading).focus({ preventScroll: true });
}

function nameOf(control) { return control.getAttribute('aria-label') ?? control.textContent; }

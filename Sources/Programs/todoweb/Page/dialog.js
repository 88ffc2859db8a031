// The dialogs of the page: what they ask, or only tell, and what was typed stays until it is accepted.

import { fill, h } from './dom.js';
import { newest, problem as sentenceOf } from './panel.js';

const pauseMilliseconds = 150;
let last = 0;

/// Opens a dialog; true if what it asks was accepted.
///
/// - `lines`: texts or nodes, fields among them.
/// - `yes`: the button that accepts; without one the dialog only tells.
/// - `problem(signal)`: what is wrong with what was typed as a sentence, or ''; asked for a moment after each change.
/// - `save()`: decides at the press; null accepts and closes, a sentence stands in the dialog, which stays.
export function openDialog({ title, lines = [], yes, problem = () => '', save = async () => null }) {
  return new Promise((resolve) => {
    const name = `dialog-${++last}`;
    const wrong = h('p', { class: 'error', id: `${name}-wrong`, role: 'alert' });
    const accept = yes === undefined ? null
      : h('button', { type: 'submit', class: 'primary', 'aria-describedby': wrong.id }, yes);
    const question = newest({ pause: pauseMilliseconds, run: async (signal) => tell(halfTyped(form) || await problem(signal)),
      onError: (error) => tell(sentenceOf(error)) });
    let isDeciding = false;
    let half = '';
    const tell = (sentence) => {
      fill(wrong, sentence);
      if (accept !== null) accept.disabled = sentence !== '';
    };
    // Until what is typed now is judged it may be right: Enter must not wait for that.
    const judge = () => {
      half = halfTyped(form);
      if (accept !== null) accept.disabled = false;
      question.ask();
    };
    const submit = async (event) => {
      event.preventDefault();
      if (isDeciding || accept === null) return;
      half = halfTyped(form);
      if (half !== '') { question.stop(); return tell(half); }
      isDeciding = true;
      // What is decided now stands there, and not what is thought of it meanwhile.
      question.stop();
      const refusal = await save();
      isDeciding = false;
      if (refusal === null) dialog.close('yes'); else fill(wrong, refusal);
    };
    const content = h('div', { class: 'dialog-lines' }, lines.map((line) => line instanceof Node ? line : h('p', {}, line)));
    // What can't be typed into is read by scrolling.
    if (content.querySelector('[autofocus]') === null) content.tabIndex = 0;
    // Of a half the browser says no input where its value stays empty.
    const pressed = () => { if (halfTyped(form) !== half) judge(); };
    const form = h('form', { novalidate: true, onsubmit: submit, oninput: judge, onkeyup: pressed, onfocusout: pressed },
      h('h2', { id: name }, title), content, wrong,
      h('div', { class: 'buttons' }, accept,
        h('button', { type: 'button', onclick: () => dialog.close('') }, yes === undefined ? 'Close' : 'Cancel')));
    const dialog = h('dialog', { 'aria-labelledby': name, onclose: () => {
      question.stop();
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    } }, form);
    document.body.append(dialog);
    dialog.showModal();
  });
}

// What stands in a control and is nothing yet: its value is empty then, which is not what was meant.
function halfTyped(form) {
  const control = [...form.elements].find(({ validity }) => validity?.badInput === true);
  if (control === undefined) return '';
  return `The ${control.type === 'date' || control.type === 'time' ? control.type : 'number'} is not whole.`;
}

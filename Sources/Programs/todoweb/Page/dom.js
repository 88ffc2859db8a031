// Creates nodes. Texts never become markup, and hidden characters in them are made visible.

import { partsOf } from './visible.js';

/// Creates an element with attributes, listeners (`onclick: fn`) and children: nodes, texts, numbers or arrays.
///
/// `ariaLabel` becomes `aria-label`, and likewise `data...`. True is an attribute without a value; false and null omit it.
/// `value`, `checked`, `selected`, `indeterminate` and `open` are set as properties.
export function h(tag, properties, ...children) {
  const node = document.createElement(tag);
  // Input determines its own direction.
  if (tag === 'input' || tag === 'textarea') node.dir = 'auto';
  for (const [name, value] of Object.entries(properties ?? {})) set(node, name, value);
  append(node, children);
  return node;
}

export function button(text, onclick, properties = {}) { return h('button', { type: 'button', onclick, ...properties }, text); }

export function svg(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? ''
      : String(value));
  }
  append(node, children);
  return node;
}

export function fill(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}

/// Attributes that are shown or read aloud.
const spoken = new Set(['title', 'aria-label', 'aria-valuetext', 'placeholder', 'alt']);
const asProperties = new Set(['value', 'checked', 'selected', 'indeterminate', 'open', 'disabled', 'hidden']);

function set(node, name, value) {
  if (value === undefined) return;
  if (name.startsWith('on')) {
    if (value) node.addEventListener(name.slice(2).toLowerCase(), value);
  } else if (asProperties.has(name)) {
    node[name] = value ?? '';
  } else {
    const attribute = name === 'class' ? name : name.replace(/^(aria|data)([A-Z])/, (_, a, b) => `${a}-${b.toLowerCase()}`);
    const isState = attribute.startsWith('aria-') && typeof value === 'boolean';
    if (value === null || value === false && !isState) node.removeAttribute(attribute);
    else if (value === true && !isState) node.setAttribute(attribute, '');
    else node.setAttribute(attribute, spoken.has(attribute) ? whole(String(value)) : String(value));
  }
}

function append(node, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(node, child);
    else if (child instanceof Node) node.append(child);
    else if (child !== null && child !== undefined && child !== false && child !== '') appendText(node, String(child));
  }
}

function appendText(node, text) {
  partsOf(text, { keepsLines: node.tagName === 'PRE' }).forEach((part, index) => {
    const isApart = index % 2 === 1;
    if (isApart) node.append(h('bdi', {}, part)); else if (part !== '') node.append(part);
  });
}

// Attributes can't contain nodes, so isolated text is marked with control characters.
function whole(text) {
  return partsOf(text).map((part, index) => index % 2 === 1 ? `\u2068${part}\u2069` : part).join('');
}

// Makes nodes. Text becomes text and never markup: nothing here takes HTML, and nothing in a text that is shown stays hidden.

import { partsOf } from './visible.js';

/// An element: attributes, listeners (`onclick: fn`) and children, which are nodes, texts, numbers or lists of them.
///
/// `ariaLabel` is written as `aria-label`, and likewise `data...`. True is an attribute without a value, false or null none.
/// `value`, `checked`, `selected`, `indeterminate` and `open` are set as properties.
export function h(tag, properties, ...children) {
  const node = document.createElement(tag);
  // What is typed is written in the direction of its own.
  if (tag === 'input' || tag === 'textarea') node.dir = 'auto';
  for (const [name, value] of Object.entries(properties ?? {})) set(node, name, value);
  append(node, children);
  return node;
}

/// An element of a drawing.
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

/// Puts children in the place of those that a node has.
export function fill(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}

/// Attributes that people read, or hear.
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
    else node.setAttribute(attribute, value === true && !isState ? '' : spoken.has(attribute) ? whole(String(value)) : String(value));
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

// Where there are no nodes a part that is set apart has signs around it that say so.
function whole(text) {
  return partsOf(text).map((part, index) => index % 2 === 1 ? `\u2068${part}\u2069` : part).join('');
}

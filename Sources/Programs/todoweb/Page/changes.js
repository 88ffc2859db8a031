// Applies the daemon's changes to a state without mutating it: unchanged parts keep their identity.

/// Parses a path: `todos.items[12].title` is `[{name}, {name}, {id}, {name}]`; `[@0]` is `{at}`, `["a/b"]` a name.
function parsePath(path) {
  const steps = [];
  const pattern = /\.?([^.[\]"]+)|\[(-?\d+)\]|\[@(-?\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  while (pattern.lastIndex < path.length) {
    const match = pattern.exec(path);
    if (match === null) break;
    if (match[1] !== undefined) steps.push({ name: match[1] });
    else if (match[2] !== undefined) steps.push({ id: Number(match[2]) });
    else if (match[3] !== undefined) steps.push({ at: Number(match[3]) });
    else steps.push({ name: unescape(match[4]) });
  }
  return steps;
}

function unescape(text) {
  return text.slice(1, -1).replace(/\\u\{([0-9A-Fa-f]+)\}|\\(.)/g, (_, code, letter) =>
    code === undefined ? { n: '\n', t: '\t', r: '\r' }[letter] ?? letter : String.fromCodePoint(parseInt(code, 16)));
}

/// Appends a step to a path: the name of a field, or an element by its id if it has one.
export function pathBelow(path, parent, key) {
  if (!Array.isArray(parent)) {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) return path === '' ? key : `${path}.${key}`;
    return `${path}[${JSON.stringify(key)}]`;
  }
  const id = parent[key]?.id;
  if (typeof id === 'number') return `${path}[${id}]`;
  return typeof id === 'string' ? `${path}[${JSON.stringify(id)}]` : `${path}[@${key}]`;
}

export function valueAt(state, path) {
  let value = state;
  for (const step of parsePath(path)) {
    if (value === null || typeof value !== 'object') return undefined;
    value = value[keyOf(value, step)];
  }
  return value;
}

export function applyChanges(state, changes) {
  const owned = new Set();
  const own = (value) => {
    if (owned.has(value)) return value;
    const copy = Array.isArray(value) ? value.slice() : { ...value };
    owned.add(copy);
    return copy;
  };
  const root = own(state);
  let lastPath = null;
  let place = root;
  for (const change of changes) {
    if (change.path !== lastPath) {
      place = root;
      for (const step of parsePath(change.path)) {
        const key = keyOf(place, step);
        place[key] = own(place[key] ?? (change.kind === 'set' ? {} : []));
        place = place[key];
      }
      lastPath = change.path;
    }
    applyOne(place, change);
    // A replaced element is not the copied one.
    if (change.kind === 'set') lastPath = null;
  }
  return root;
}

function applyOne(place, change) {
  switch (change.kind) {
    case 'set':
      for (const name of Object.keys(change.old ?? {})) if (!(name in (change.new ?? {}))) delete place[name];
      Object.assign(place, change.new ?? {});
      break;
    case 'insert': place.splice(change.at, 0, change.new); break;
    case 'remove': place.splice(change.at, 1); break;
    case 'replace': place[change.at] = change.new; break;
    case 'move': {
      const [element] = place.splice(change.from, 1);
      place.splice(change.at, 0, change.new ?? element);
      break;
    }
  }
}

function keyOf(value, step) {
  if (!Array.isArray(value)) return step.name ?? String(step.id ?? step.at);
  if (step.at !== undefined) return step.at < 0 ? value.length + step.at : step.at;
  const id = step.id ?? step.name;
  return value.findIndex((element) => element?.id === id);
}

export function addPage(state, page) {
  const whole = { ...state };
  for (const [name, value] of Object.entries(page)) {
    const there = state[name];
    if (Array.isArray(there) && Array.isArray(value)) whole[name] = there.concat(value);
    else if (isRecord(there) && isRecord(value)) whole[name] = addPage(there, value);
    else whole[name] = value;
  }
  return whole;
}

export function isRecord(value) { return value !== null && typeof value === 'object' && !Array.isArray(value); }

// The TypeScript type of a set of JSON values: what all have is required, what some lack optional, what differs a union.

/** @typedef {{ kinds: Set<string>, items?: Shape, fields?: Map<string, { shape: Shape, seen: number }>, objects: number }} Shape */

/** @returns {Shape} */
export const nothing = () => ({ kinds: new Set(), objects: 0 });

/** Widens `shape` so that it holds `value`. @param {Shape} shape @param {unknown} value */
export function widen(shape, value) {
  if (value === null) shape.kinds.add("null");
  else if (Array.isArray(value)) {
    shape.items ??= nothing();
    for (const item of value) widen(shape.items, item);
  } else if (typeof value === "object") {
    shape.fields ??= new Map();
    ++shape.objects;
    for (const [key, field] of Object.entries(/** @type {object} */ (value))) {
      const entry = shape.fields.get(key) ?? { shape: nothing(), seen: 0 };
      shape.fields.set(key, entry);
      ++entry.seen;
      widen(entry.shape, field);
    }
  } else shape.kinds.add(typeof value);
  return shape;
}

/**
 * `known` names the type of a field by its key, or by its parent's key and its own ("scenario.model").
 * @param {Shape} shape @param {Record<string, string>} known @param {string} [indent] @param {string} [parent]
 * @returns {string}
 */
export function typeOf(shape, known, indent = "", parent = "") {
  const types = [...shape.kinds];
  if (shape.items) {
    const item = typeOf(shape.items, known, indent, parent);
    types.push(shape.items.kinds.size > 1 ? `(${item})[]` : `${item}[]`);
  }
  if (shape.fields) {
    const inner = `${indent}  `;
    const fields = [...shape.fields].map(([key, { shape: field, seen }]) => {
      const type = known[`${parent}.${key}`] ?? known[key] ?? typeOf(field, known, inner, key);
      return `${inner}${key}${seen < shape.objects ? "?" : ""}: ${type};\n`;
    });
    types.push(`{\n${fields.join("")}${indent}}`);
  }
  return types.sort().join(" | ") || "never";
}

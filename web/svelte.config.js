// Compiler settings that the build and svelte-check share. Short class names keep the prerendered page small.
export default { compilerOptions: { runes: true, cssHash: ({ hash, css }) => `s${hash(css).slice(0, 4)}` } };

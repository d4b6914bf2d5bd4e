// Runs in the head, before the first paint: theme, language, and whether the prerendered figures are the ones asked for.
{
  const root = document.documentElement;
  const kept = (name) => {
    try {
      return localStorage.getItem(`meshgauge.${name}`);
    } catch {
      return null;
    }
  };
  const theme = kept('theme') ?? 'auto';
  const dark = theme === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  root.dataset.theme = dark ? 'dark' : 'light';
  const language = kept('language') ?? navigator.language;
  root.lang = language.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
  if (kept('welcomed') || kept('scenario') || location.hash) root.dataset.known = '';
  if (kept('scenario') || /[#;][mcptx]=/.test(location.hash)) root.dataset.waiting = '';
}

// Loaded before anything is painted, so that a page in the chosen colours doesn't flash in those of the system. The rest is
// in src/theme/theme.ts.
try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // A browser that refuses storage shows the colours of the system until the account is known.
}

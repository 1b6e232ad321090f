export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const KEY = 'theme'
/** Same as `theme-color` in index.html: `--ground` of tokens.css. */
const grounds = { light: '#f4f6f7', dark: '#11161a' }

/** Applies the colours at once, and stores the choice for `public/theme.js`, which runs before the account is known. */
export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    meta.content = grounds[theme === 'system' ? (meta.media.includes('dark') ? 'dark' : 'light') : theme]
  }
  try {
    if (theme === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // Without storage, the next load starts with the system's colours.
  }
}

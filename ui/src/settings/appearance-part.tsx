import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { Me } from '../api/types.ts'
import { showError } from '../kit/toast.tsx'
import { useKeepMe, useMe } from '../session/session.ts'
import { applyTheme, type Theme, themes } from '../theme/theme.ts'
import { strings } from './strings.ts'

const text = strings.appearance

/** A choice is shown at once; it returns to the stored one if it can't be saved. */
export function AppearancePart() {
  const me = useMe()
  const keepMe = useKeepMe()
  const save = useChange([], (theme: Theme) => api.patch<Me>('/me', { theme }), {
    onMutate: applyTheme,
    onSuccess: (user) => keepMe({ user, via: 'session' }),
    onError: (error) => {
      applyTheme(me.theme)
      showError(error)
    },
  })
  const chosen = save.isPending ? save.variables : me.theme
  return (
    <section className="kit-card kit-form">
      <h2>{text.title}</h2>
      <fieldset className="settings-themes">
        <legend>{text.theme}</legend>
        {themes.map((theme) => (
          <label key={theme}>
            <input type="radio" name="theme" checked={chosen === theme} onChange={() => save.mutate(theme)} />
            <span>
              {text.themes[theme]}
              <span className="kit-field-hint">{text.themeHints[theme]}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </section>
  )
}

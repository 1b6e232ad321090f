import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { Me } from '../api/types.ts'
import { Switch } from '../kit/input.tsx'
import { showError } from '../kit/toast.tsx'
import { useKeepMe, useMe } from '../session/session.ts'
import { strings } from './strings.ts'

const text = strings.shortcuts

export function ShortcutsPart() {
  const me = useMe()
  const keepMe = useKeepMe()
  const save = useChange([], (shortcuts: boolean) => api.patch<Me>('/me', { shortcuts }), {
    onSuccess: (user) => keepMe({ user, via: 'session' }),
    onError: showError,
  })
  return (
    <section className="kit-card kit-form">
      <h2>{text.title}</h2>
      <Switch
        label={text.singleKeys}
        hint={text.singleKeysHint}
        checked={me.shortcuts}
        disabled={save.isPending}
        onChange={save.mutate}
      />
      <div className="settings-keys">
        {text.groups.map(({ name, keys }) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl className="kit-facts">
              {keys.map(([key, meaning]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </section>
  )
}

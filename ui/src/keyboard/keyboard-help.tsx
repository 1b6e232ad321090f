import './keyboard.css'
import { Fragment } from 'react'
import { Dialog } from '../kit/dialog.tsx'
import { areCharacterKeysOn, keysOf, registeredGroups } from './registry.ts'

const shown: Record<string, string> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  'Ctrl+k': 'Ctrl K',
}

function Keys({ keys }: { keys: string }) {
  return keys.split(' ').map((key, at) => (
    <Fragment key={key}>
      {at > 0 && <span className="faint"> then </span>}
      <kbd>{shown[key] ?? key}</kbd>
    </Fragment>
  ))
}

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} wide>
      {!areCharacterKeysOn() && <p>Single keys are switched off. Switch them on again under Settings.</p>}
      <div className="keyboard-groups">
        {registeredGroups().map(({ name, shortcuts }) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl className="keyboard-list">
              {shortcuts.map((shortcut) => (
                <div key={shortcut.label}>
                  <dt>{shortcut.label}</dt>
                  <dd>
                    {keysOf(shortcut).map((keys, at) => (
                      <Fragment key={keys}>
                        {at > 0 && <span className="faint"> or </span>}
                        <Keys keys={keys} />
                      </Fragment>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

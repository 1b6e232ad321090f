import { useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { ChannelKind, NewChannel } from '../api/types.ts'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { showToast } from '../kit/toast.tsx'
import { fieldError, formError } from '../settings/form-errors.ts'
import { browserName, pushChannel, subscribe } from './browser-push.ts'
import { strings } from './strings.ts'
import { useChannels } from './use-channels.ts'

const text = strings.browser

type Props = { kind: ChannelKind; onBack: () => void; onClose: () => void }

/** Subscribes this browser and adds the channel that pushes to it. */
export function BrowserDialog({ kind, onBack, onClose }: Props) {
  const [name, setName] = useState(() => browserName(navigator.userAgent))
  const [refusal, setRefusal] = useState<string | null>(null)
  const known = useChannels().data?.items.find(({ id, state }) => id === pushChannel.id() && state !== 'off')
  const create = useChange(
    ['channels'],
    async () => {
      const made = await subscribe(kind.publicKey ?? '')
      if (made.kind !== 'subscribed') {
        setRefusal(made.kind === 'failed' ? text.failed(made.reason) : text[made.kind])
        return null
      }
      setRefusal(null)
      const draft = { kind: kind.kind, name: name.trim(), settings: made.settings }
      try {
        return await api.post<NewChannel>('/channels', draft)
      } catch (error) {
        await made.undo()
        throw error
      }
    },
    {
      onSuccess: (channel) => {
        if (channel === null) return
        pushChannel.keep(channel.id)
        showToast(strings.form.added(channel.name))
        onClose()
      },
    },
  )
  return (
    <ConfirmDialog
      title={text.title}
      confirm={create.isPending ? text.asking : text.confirm}
      variant="primary"
      disabled={create.isPending || name.trim() === '' || known !== undefined}
      error={refusal ?? formError(create.error, ['name'])}
      onBack={onBack}
      onConfirm={() => create.mutate()}
      onClose={onClose}
    >
      <p className="soft">{known === undefined ? kind.about : text.known(known.name)}</p>
      <Field label={strings.form.name} hint={strings.form.nameHint} error={fieldError(create.error, 'name')}>
        <Input maxLength={100} required value={name} onChange={setName} />
      </Field>
    </ConfirmDialog>
  )
}

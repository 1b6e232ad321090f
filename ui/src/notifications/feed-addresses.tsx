import { useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { Channel } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { CopyText } from '../kit/copy-text.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { showToast } from '../kit/toast.tsx'
import { formError } from '../settings/form-errors.ts'
import { strings } from './strings.ts'

const text = strings.channels
const formats = ['atom', 'rss', 'json'] as const

type Props = { channel: Channel; urls: NonNullable<Channel['feedUrls']> }

export function FeedAddresses({ channel, urls }: Props) {
  const [isAsking, setIsAsking] = useState(false)
  const renew = useChange(['channels'], () => api.post(`/channels/${encodeURIComponent(channel.id)}/renew`), {
    onSuccess: () => {
      setIsAsking(false)
      showToast(text.renewed)
    },
  })
  return (
    <details className="kit-details channels-more">
      <summary>{text.addresses}</summary>
      <div className="kit-stack">
        {formats.map((format) => (
          <CopyText key={format} label={text.feedFormats[format]} value={urls[format]} />
        ))}
        <p className="faint small">{text.feedSecret}</p>
        <div>
          <Button label={text.renew} small onClick={() => setIsAsking(true)} />
        </div>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={text.renewTitle(channel.name)}
          confirm={text.renewConfirm}
          disabled={renew.isPending}
          error={formError(renew.error)}
          onConfirm={() => renew.mutate()}
          onClose={() => setIsAsking(false)}
        >
          <p>{text.renewBody}</p>
        </ConfirmDialog>
      )}
    </details>
  )
}

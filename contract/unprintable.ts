/**
 * Control characters, line separators, halves of surrogate pairs and all characters that change the
 * direction of text (Unicode's `Bidi_Control`). They can forge what a person reads.
 */
export const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

"""Anchors of headings as the links of our pages write them: those of a repository viewer."""
import re
import unicodedata


def slug(text, separator="-"):
    text = unicodedata.normalize("NFC", re.sub(r"<[^>]*>", "", text)).lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", separator)

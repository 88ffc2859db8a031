#!/bin/sh
# embed.sh OUTPUT FILE...: writes a Swift array of the texts of FILE..., byte for byte (each ends in one line feed).
set -eu
output=$1
shift
{
    echo 'enum InterfaceTexts {'
    echo '    static let all: [String] = ['
    for file in "$@"; do
        echo '##"""'
        cat "$file"
        echo
        echo '"""##,'
    done
    echo '    ]'
    echo '}'
} >"$output"

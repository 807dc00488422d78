// SPDX-License-Identifier: MIT

package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"

	"golang.org/x/crypto/chacha20poly1305"
)

// An operation is a byte of a message that is encrypted in place, with a nonce of
// its own, 13 bytes of additional data as TLS has them, and its tag; the key is set
// once, as in a connection.
const messagesInBatch = 64

type sealing struct {
	aead   cipher.AEAD
	plain  []byte
	block  []byte // with room for the tag
	nonce  [12]byte
	data   [13]byte
	sealed []byte
}

// vector is a published answer, in hexadecimal; the tag stands at its end.
type vector struct {
	key, nonce, data, plain, sealed string
}

// McGrew and Viega, The Galois/Counter Mode of Operation (submitted to NIST for
// SP 800-38D), appendix B, test case 4.
var gcmVector = vector{
	key:   "feffe9928665731c6d6a8f9467308308",
	nonce: "cafebabefacedbaddecaf888",
	data:  "feedfacedeadbeeffeedfacedeadbeefabaddad2",
	plain: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" +
		"1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
	sealed: "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e" +
		"21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091" +
		"5bc94fbc3221a5db94fae95ae7121a47",
}

// RFC 8439, section 2.8.2.
var chachaVector = vector{
	key:   "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
	nonce: "070000004041424344454647",
	data:  "50515253c0c1c2c3c4c5c6c7",
	plain: "4c616469657320616e642047656e746c656d656e206f662074686520636c6173" +
		"73206f66202739393a204966204920636f756c64206f6666657220796f75206f" +
		"6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73" +
		"637265656e20776f756c642062652069742e",
	sealed: "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6" +
		"3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36" +
		"92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc" +
		"3ff4def08e4b7a9de576d26586cec64b6116" +
		"1ae10b594f09e26a7e902ecbd0600691",
}

func (v *vector) check(create func(key []byte) (cipher.AEAD, error)) error {
	aead, err := create(unhex(v.key))
	if err != nil {
		return err
	}
	if !bytes.Equal(aead.Seal(nil, unhex(v.nonce), unhex(v.plain), unhex(v.data)), unhex(v.sealed)) {
		return errors.New("wrong output: not the cipher's published test vector")
	}
	return nil
}

func (s *sealing) batch() uint64 {
	n := len(s.plain)

	copy(s.block, s.plain)
	for i := 0; i < messagesInBatch; i++ {
		// The last one's nonce is that of the check.
		binary.BigEndian.PutUint64(s.nonce[4:], uint64(messagesInBatch-i))
		if i == messagesInBatch-1 {
			copy(s.block, s.plain)
		}
		s.sealed = s.aead.Seal(s.block[:0], s.nonce[:], s.block[:n], s.data[:])
	}
	return uint64(messagesInBatch * n)
}

func (s *sealing) verify(flip bool) error {
	if flip {
		s.sealed[len(s.sealed)/2] ^= 1
	}
	plain, err := s.aead.Open(nil, s.nonce[:], s.sealed, s.data[:])
	if err != nil {
		return errors.New("wrong output: the tag of the last message does not fit")
	}
	if !bytes.Equal(plain, s.plain) {
		return errors.New("wrong output: the last message does not decrypt to what it was")
	}
	return nil
}

func beginSealing(e *env, v *vector, create func(key []byte) (cipher.AEAD, error)) (work, error) {
	if err := v.check(create); err != nil {
		return nil, err
	}
	aead, err := create(unhex(v.key))
	if err != nil {
		return nil, err
	}
	s := &sealing{aead: aead, plain: make([]byte, e.variant),
		block: make([]byte, e.variant, e.variant+aead.Overhead())}
	for i := range s.plain {
		s.plain[i] = byte(i*7 + i/256)
	}
	return s, nil
}

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func beginAESGCM(e *env) (work, error) { return beginSealing(e, &gcmVector, newGCM) }
func beginChaCha(e *env) (work, error) {
	return beginSealing(e, &chachaVector, chacha20poly1305.New)
}

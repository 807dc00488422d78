// SPDX-License-Identifier: MIT

package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
)

// An operation is a signature of a SHA-256 digest, or its verification: ECDSA in
// ASN.1, RSA by PKCS #1 v1.5. Every thread has a key of its own.
const signaturesInBatch = 4

var digest = sha256.Sum256([]byte("cpuprof"))

func unhex(text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}

// signer is one of the two kinds of key: signing and verifying with it, and with the
// key of a published signature.
type signer interface {
	sign() ([]byte, error)
	verify(signature []byte) bool
}

type signing struct {
	key       signer
	verifies  bool // that is the operation
	signature []byte
	broken    error
}

func (s *signing) batch() uint64 {
	for i := 0; i < signaturesInBatch; i++ {
		if s.verifies {
			if !s.key.verify(s.signature) {
				s.broken = errors.New("wrong output: a good signature was refused")
			}
			continue
		}
		signature, err := s.key.sign()
		if err != nil {
			s.broken = err
		}
		s.signature = signature
	}
	return signaturesInBatch
}

func (s *signing) verify(flip bool) error {
	if s.broken != nil {
		return s.broken
	}
	if flip {
		s.signature[len(s.signature)-1] ^= 1
	}
	if !s.key.verify(s.signature) {
		return errors.New("wrong output: the last signature is not one of the key")
	}
	bad := append([]byte(nil), s.signature...)
	bad[len(bad)/2] ^= 1
	if s.key.verify(bad) {
		return errors.New("wrong output: a bad signature was taken for a good one")
	}
	return nil
}

func begin(key signer, verifies bool) (work, error) {
	signature, err := key.sign()
	return &signing{key: key, verifies: verifies, signature: signature}, err
}

type ecdsaKey struct{ *ecdsa.PrivateKey }

func (k ecdsaKey) sign() ([]byte, error) {
	return ecdsa.SignASN1(rand.Reader, k.PrivateKey, digest[:])
}

func (k ecdsaKey) verify(signature []byte) bool {
	return ecdsa.VerifyASN1(&k.PublicKey, digest[:], signature)
}

type rsaKey struct{ *rsa.PrivateKey }

func (k rsaKey) sign() ([]byte, error) {
	return rsa.SignPKCS1v15(rand.Reader, k.PrivateKey, crypto.SHA256, digest[:])
}

func (k rsaKey) verify(signature []byte) bool {
	return rsa.VerifyPKCS1v15(&k.PublicKey, crypto.SHA256, digest[:], signature) == nil
}

var errVector = errors.New("wrong output: a published signature was refused")

// known checks a published signature: key as SubjectPublicKeyInfo.
func known(key, sum, signature string) error {
	public, err := x509.ParsePKIXPublicKey(unhex(key))
	if err != nil {
		return err
	}
	ok := false
	switch k := public.(type) {
	case *ecdsa.PublicKey:
		ok = ecdsa.VerifyASN1(k, unhex(sum), unhex(signature))
	case *rsa.PublicKey:
		ok = rsa.VerifyPKCS1v15(k, crypto.SHA256, unhex(sum), unhex(signature)) == nil
	}
	if !ok {
		return errVector
	}
	return nil
}

func beginECDSA(verifies bool) (work, error) {
	// RFC 6979, A.2.5, SHA-256, message "sample".
	err := known("3059301306072a8648ce3d020106082a8648ce3d0301070342000460fed4ba25"+
		"5a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008"+
		"b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
		"af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf",
		"3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0e"+
			"a84eaf3716022100f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff406"+
			"4dc4ab2f843acda8")
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return begin(ecdsaKey{key}, verifies)
}

func beginECDSASign(e *env) (work, error)   { return beginECDSA(false) }
func beginECDSAVerify(e *env) (work, error) { return beginECDSA(true) }

func beginRSA(verifies bool) (work, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	return begin(rsaKey{key}, verifies)
}

func beginRSASign(e *env) (work, error)   { return beginRSA(false) }
func beginRSAVerify(e *env) (work, error) { return beginRSA(true) }
